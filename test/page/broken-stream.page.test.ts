/** Breaks the stream in every way that a network and a server can, and looks at what the page says meanwhile. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newVisitor, reload, startBrowser, type Visitor } from './browser.ts';
import { itInWhole } from './extent.ts';
import { enter, newLink, type PageLink, rowOf, untilLive } from './links.ts';
import { PageCluster } from './page-cluster.ts';
import { Wire } from './wire.ts';

const API = 'deploy/shop/api';

let browser: Browser;
let cluster: PageCluster;
let wire: Wire;
let visitor: Visitor;
let link: PageLink;
let page: Page;

beforeAll(async () => {
  wire = await Wire.start();
  [browser, cluster] = await Promise.all([startBrowser(wire.port), PageCluster.start()]);
  await cluster.deploy({ namespace: 'shop', name: 'api' });
  link = await newLink(cluster.kubeconfig);
  wire.to(link.port);
  visitor = await newVisitor(browser);
  page = await enter(visitor, link);
});
afterAll(async () => {
  await link.end();
  await browser.close();
  await wire.stop();
  await cluster.remove();
});

/** Says from when its data is, in the page, the title and the icon; and nothing looks well any more. */
async function expectDead(icon: string | null): Promise<void> {
  await expect
    .poll(() => page.locator('body').textContent())
    .toMatch(/This is how it was at\s*\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
  expect(await page.title()).toMatch(/no live data/);
  expect(await page.locator('link[rel~="icon"]').getAttribute('href')).not.toBe(icon);
  expect(await page.locator('.pulse').textContent()).toBe('not live');
  // The legend, in the dialog, has all marks.
  expect(await page.locator('[class~="is-ok"]:not(dialog *)').count()).toBe(0);
  const green = await page.evaluate<string[]>(`(() => {
    const isGreen = (colour) => {
      const [r, g, b, a = 1] = (colour.match(/[\\d.]+/g) ?? []).map(Number);
      return colour.startsWith('rgb') && a > 0.2 && g > r * 1.25 && g > b * 1.25 && g > 60;
    };
    return [...document.querySelectorAll('body *')]
      .filter((each) => each.checkVisibility() && !each.closest('.c-bar, svg.bar'))
      .filter((each) => { const s = getComputedStyle(each); return [s.color, s.backgroundColor, s.fill, s.stroke].some(isGreen); })
      .map((each) => each.tagName + '.' + (each.getAttribute('class') ?? '')).slice(0, 5);
  })()`);
  expect(green).toEqual([]);
}

async function expectAlive(icon: string | null): Promise<void> {
  await untilLive(page);
  await expect.poll(() => page.locator('.banner').count()).toBe(0);
  await expect.poll(() => page.locator('link[rel~="icon"]').getAttribute('href')).toBe(icon);
  expect(await page.title()).not.toMatch(/no live data/);
}

describe('a broken stream', () => {
  it('is said at once when it is cut, and what happened meanwhile is there when it is back', async () => {
    const icon = await page.locator('link[rel~="icon"]').getAttribute('href');
    wire.cut();
    await expectDead(icon);
    await cluster.kill('shop', 'api-', { message: 'while nobody could see it' });
    expect(await rowOf(page, API).textContent()).not.toContain('while nobody');
    // Nobody answers yet, and the page goes on to try by itself.
    await page.getByRole('button', { name: 'Try now' }).click();
    wire.mend();
    await untilLive(page);
    await expect.poll(() => rowOf(page, API).textContent()).toContain('while nobody could see it');
    expect(visitor.takeFaults(/ERR_CONNECTION|ERR_SOCKET_NOT_CONNECTED|ERR_EMPTY|ERR_INCOMPLETE|network/i)).toEqual([]);
  });

  itInWhole('is said when it only hangs, and comes back by itself', async () => {
    const icon = await page.locator('link[rel~="icon"]').getAttribute('href');
    wire.hang();
    await expectDead(icon);
    wire.mend();
    await expectAlive(icon);
    expect(visitor.takeFaults(/ERR_|network/i)).toEqual([]);
  });

  itInWhole('is said when the server stands still', async () => {
    const icon = await page.locator('link[rel~="icon"]').getAttribute('href');
    cluster.hold();
    await expectDead(icon);
    cluster.release();
    await expectAlive(icon);
    expect(visitor.takeFaults(/ERR_|network/i)).toEqual([]);
  });

  it('and after a restart of the server the page asks for a new link, and never shows old data as live', async () => {
    const icon = await page.locator('link[rel~="icon"]').getAttribute('href');
    await cluster.stopServer('SIGKILL');
    await expectDead(icon);
    await cluster.startServer();
    await link.end();
    link = await newLink(cluster.kubeconfig);
    wire.to(link.port);
    await expect.poll(() => page.locator('.banner').textContent()).toMatch(/session|Sign in again/);
    await expectDead(icon);
    await page.goto(link.url);
    await reload(page);
    await untilLive(page);
    expect(visitor.takeFaults(/ERR_|network|401/i)).toEqual([]);
  });
});
