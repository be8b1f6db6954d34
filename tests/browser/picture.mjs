// SPDX-License-Identifier: Apache-2.0

// picture.mjs FILE.png: the fleet of example.mjs in the dark theme, for the README. `./dev picture` writes web/dashboard.png with it.
import { fill } from './example.mjs';
import { Daemon, launch, visit } from './support.mjs';

const daemon = await new Daemon({ 'policy.heartbeat_interval': '1m' }).start();
const browser = await launch();
try {
  await fill(daemon);
  const { page } = await visit(browser, daemon, { colorScheme: 'dark', reducedMotion: 'reduce', viewport: { width: 1200, height: 760 } });
  await page.locator('.need .pulse').nth(3).waitFor();
  await page.locator('tr[data-id=map-the-repo]').waitFor();
  await page.screenshot({ path: process.argv[2] });
} finally {
  await browser.close();
  await daemon.close();
}
