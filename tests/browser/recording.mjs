// SPDX-License-Identifier: Apache-2.0

// recording.mjs FOLDER: 20 seconds of the page beside `headway demo`, one picture each quarter of a second, 000.png and on; the request
// for approval is opened and allowed in between. `./dev picture` makes docs/demo.webp of them.
import { spawn } from 'node:child_process';
import path from 'node:path';
import readline from 'node:readline';
import { BINARY, launch } from './support.mjs';

const FRAMES = 80, FRAME_MS = 250, OPENS_AT = 46, ALLOWS_AT = 55;
const folder = process.argv[2];
const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('HEADWAY_')));
const demo = spawn(BINARY, ['demo', '--listen', '127.0.0.1:0', '--quiet'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
const url = await new Promise((found, fail) => {
  readline.createInterface({ input: demo.stdout }).on('line', (line) => { const match = line.match(/http:\S+login\?code=\S+/); if (match) found(match[0]); });
  demo.on('exit', () => fail(new Error('the demo ended')));
});
demo.removeAllListeners('exit');
const browser = await launch();
try {
  const page = await browser.newPage({ colorScheme: 'dark', viewport: { width: 960, height: 600 } });
  await page.goto(url);
  await page.locator('tr[data-id=approval-1]').waitFor();
  const begin = Date.now();
  for (let i = 0; i < FRAMES; i++) {
    if (i === OPENS_AT) await page.goto(new URL('/#/approvals', page.url()).href);
    if (i === ALLOWS_AT) await page.keyboard.press('a');
    if (i === ALLOWS_AT + 5) await page.keyboard.press('y');
    if (i === ALLOWS_AT + 11) await page.goto(new URL('/#/', page.url()).href);
    await page.screenshot({ path: path.join(folder, `${String(i).padStart(3, '0')}.png`) });
    await page.waitForTimeout(Math.max(0, begin + (i + 1) * FRAME_MS - Date.now()));
  }
} finally {
  await browser.close();
  demo.kill('SIGTERM');
}
