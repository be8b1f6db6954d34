// SPDX-License-Identifier: Apache-2.0

// Before the first paint: the theme that was chosen here, if any. Classic script, so that it comes before the page.
document.documentElement.dataset.theme = localStorage.getItem('theme') || 'auto';
