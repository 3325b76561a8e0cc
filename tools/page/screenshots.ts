/**
 * Takes the pictures of the README from the live page of a real `mendlet up` whose pods die and heal (root):
 *
 *   npm run page:screenshots
 */
import { mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { Mendlet } from '../../test/e2e/harness.ts';
import setUp from '../../test/page/global-set-up.ts';
import { newVisitor, startBrowser } from '../../test/page/browser.ts';
import { newLink, untilLive } from '../../test/page/links.ts';
import { exampleWorkloads } from './example-workloads.ts';

const FOLDER = resolve(import.meta.dirname, '../../docs/images');
const MAX_BYTES = 150_000;
/** Until a workload has died and healed several times, and waits in a back-off. */
const LIFE_MS = Number(process.env['MENDLET_PAGE_SECONDS'] ?? 100) * 1000;

if (process.getuid?.() !== 0) throw new Error('pictures of real pods need root (try: sudo npm run page:screenshots)');
await setUp();
mkdirSync(FOLDER, { recursive: true });
const mendlet = new Mendlet({ podNetwork: 183 });
try {
  const [browser] = await Promise.all([startBrowser(), mendlet.up()]);
  try {
    await mendlet.create(...exampleWorkloads());
    await takeAll(browser);
  } finally {
    await browser.close();
  }
} finally {
  await mendlet.down();
}

async function takeAll(browser: Browser): Promise<void> {
  const wide = await open(browser, { width: 1360, height: 850 });
  const small = await open(browser, { width: 360, height: 760, dark: true, scale: 2 });
  await sleep(LIFE_MS);
  await take(small, 'page-360.png');
  await wide.locator('[data-row="deploy/shop/api"]').click();
  await wide.locator('.life .last-lines').first().waitFor({ timeout: 60_000 });
  await take(wide, 'page.png');
}

async function open(browser: Browser, look: Parameters<typeof newVisitor>[1]): Promise<Page> {
  const visitor = await newVisitor(browser, { ...look, reducedMotion: true });
  const link = await newLink(mendlet.kubeconfig, '--write');
  const page = await visitor.open(link.url);
  await untilLive(page);
  return page;
}

async function take(page: Page, name: string): Promise<void> {
  const path = join(FOLDER, name);
  await page.screenshot({ path, animations: 'disabled' });
  const { size } = statSync(path);
  console.log(`docs/images/${name}: ${size} bytes`);
  if (size > MAX_BYTES)
    throw new Error(`docs/images/${name} is larger than ${MAX_BYTES} bytes: a smaller window, or scale`);
}
