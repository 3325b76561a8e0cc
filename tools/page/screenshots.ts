/**
 * Takes the pictures of the README from the live page of a real `mendlet up` whose pods die and heal. Without root, or with
 * `--invented`, it takes them from invented data, to see how the page looks:
 *
 *   npm run page:screenshots [-- --invented] [--into FOLDER]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { Mendlet } from '../../test/e2e/harness.ts';
import setUp from '../../test/page/global-set-up.ts';
import { newVisitor, startBrowser, type VisitorOptions } from '../../test/page/browser.ts';
import { newLink, untilLive } from '../../test/page/links.ts';
import { freePort } from '../../test/support/free-port.ts';
import { Running } from '../../test/support/running.ts';
import { exampleWorkloads } from './example-workloads.ts';
import { smallerPng } from './smaller-png.ts';

const MAX_BYTES = 150_000;
/** Until workloads have died and healed several times, and wait in a back-off. */
const LIFE_MS = 80_000;
const SERVE_FIXTURE = resolve(import.meta.dirname, 'serve-fixture.ts');

const { values: flags } = parseArgs({ options: { invented: { type: 'boolean' }, into: { type: 'string' } } });
const folder = resolve(flags.into ?? join(import.meta.dirname, '../../docs/images'));
const isInvented = flags.invented === true || process.getuid?.() !== 0;
if (isInvented) console.log('these pictures show invented data: for real pods run this as root');

await setUp();
mkdirSync(folder, { recursive: true });
await (isInvented ? takeInvented() : takeReal());

async function takeReal(): Promise<void> {
  const mendlet = new Mendlet({ podNetwork: 183 });
  try {
    const [browser] = await Promise.all([startBrowser(), mendlet.up()]);
    try {
      await mendlet.create(...exampleWorkloads());
      const link = async (): Promise<string> => (await newLink(mendlet.kubeconfig, '--write')).url;
      await takeBoth(browser, link, LIFE_MS, 'deploy/shop/api');
    } finally {
      await browser.close();
    }
  } finally {
    await mendlet.down();
  }
}

async function takeInvented(): Promise<void> {
  const port = await freePort();
  const server = new Running(process.execPath, [SERVE_FIXTURE, String(port)]);
  await server.ready('http://');
  const browser = await startBrowser();
  try {
    await takeBoth(browser, async () => `http://127.0.0.1:${port}/?rows=14&troubled=6&nodes=3&write=1`, 1000);
  } finally {
    await browser.close();
    await server.end('SIGTERM');
  }
}

/** @param id the workload whose life is open in the wide picture; default: the first */
async function takeBoth(browser: Browser, link: () => Promise<string>, lifeMs: number, id?: string): Promise<void> {
  const wide = await open(browser, await link(), { width: 1360, height: 850 });
  const small = await open(browser, await link(), { width: 360, height: 780, dark: true, scale: 2 });
  await sleep(lifeMs);
  await take(small, 'page-360.png');
  await wide
    .locator(id === undefined ? '[data-row]' : `[data-row="${id}"]`)
    .first()
    .click();
  await wide.locator('.life .last-lines').first().waitFor({ timeout: 60_000 });
  await take(wide, 'page.png');
}

async function open(browser: Browser, url: string, look: VisitorOptions): Promise<Page> {
  const visitor = await newVisitor(browser, { ...look, reducedMotion: true });
  const page = await visitor.open(url);
  await untilLive(page);
  return page;
}

async function take(page: Page, name: string): Promise<void> {
  const path = join(folder, name);
  const picture = smallerPng(await page.screenshot({ animations: 'disabled' }));
  writeFileSync(path, picture);
  const size = picture.length;
  console.log(`${path}: ${size} bytes`);
  if (size > MAX_BYTES)
    throw new Error(`${name} is larger than ${MAX_BYTES} bytes: a smaller window, or a smaller scale`);
}
