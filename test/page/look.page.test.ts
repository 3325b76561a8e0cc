/** Looks at the page as a person does: at first, while pods die, closer, with keys alone, on a telephone, and with assistive technology. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { axeProblems } from './axe.ts';
import { newVisitor, reload, startBrowser, type Visitor } from './browser.ts';
import { inShort } from './extent.ts';
import { medianOf, printFigure } from './figures.ts';
import { enter, newLink, type PageLink, rowOf, untilLive } from './links.ts';
import { PageCluster } from './page-cluster.ts';

const API = 'deploy/shop/api';

let browser: Browser;
let cluster: PageCluster;
let visitor: Visitor;
let link: PageLink;
let page: Page;

beforeAll(async () => {
  [browser, cluster] = await Promise.all([startBrowser(), PageCluster.start({ nodes: 2 })]);
  await cluster.deploy(
    { namespace: 'shop', name: 'api', replicas: 2, container: { resources: { limits: { memory: '64Mi' } } } },
    { namespace: 'shop', name: 'web', replicas: 3 },
    { namespace: 'infra', name: 'dns' },
  );
  link = await newLink(cluster.kubeconfig);
  visitor = await newVisitor(browser);
  page = await enter(visitor, link);
});
afterAll(async () => {
  await link.end();
  await browser.close();
  await cluster.remove();
});
afterEach(() => expect(visitor.takeFaults()).toEqual([]));

const verdict = async (of = page): Promise<string> => (await of.getByRole('heading', { level: 1 }).textContent()) ?? '';
const textOf = async (id: string, of = page): Promise<string> => (await rowOf(of, id).textContent()) ?? '';

describe('at first', () => {
  it('the verdict is above all, in the title, and in the icon', async () => {
    await expect.poll(() => verdict()).toContain('6 pods healthy');
    expect(await page.title()).toContain('6 pods healthy');
    expect(await page.locator('link[rel~="icon"]').getAttribute('href')).toMatch(/^data:image\/svg\+xml/);
  });

  it('each workload has a row, and each node a strip', async () => {
    for (const id of [API, 'deploy/shop/web', 'deploy/infra/dns']) expect(await rowOf(page, id).count()).toBe(1);
    expect(await textOf(API)).toContain('2/2');
    const nodes = page.getByRole('region', { name: 'Nodes' }).getByRole('listitem');
    expect(await nodes.count()).toBe(2);
    expect(await nodes.first().textContent()).toContain('paper-1');
  });

  it('the code of the link is nowhere any more', async () => {
    expect(page.url()).toBe(`${link.origin}/`);
    const other = await newVisitor(browser);
    const late = await other.open(link.url);
    await expect.poll(async () => (await late.textContent('body')) ?? '').toMatch(/was used|older than a minute/);
    expect(await late.locator('tr').count()).toBe(0);
    await other.leave();
  });

  it('the page can be read without script', async () => {
    const reader = await newVisitor(browser, { javaScript: false });
    await reader.context.addCookies(await visitor.context.cookies());
    const plain = await reader.open(`${link.origin}/`);
    expect(await verdict(plain)).toContain('6 pods healthy');
    expect(await textOf(API, plain)).toContain('2/2');
    expect(reader.takeFaults()).toEqual([]);
    await reader.leave();
  });
});

describe('while pods die', () => {
  it('a death is shown with its cause, and how long healing took', async () => {
    await cluster.kill('shop', 'api-', { exitCode: 137, reason: 'OOMKilled' });
    await expect.poll(() => textOf(API)).toContain('out of memory (limit 64Mi)');
    expect(await textOf(API)).toMatch(/back in/);
    await expect.poll(() => verdict()).toMatch(/healed/);
    expect(await page.title()).toMatch(/healed/);
  });

  it('within a second', async () => {
    const tookMs: number[] = [];
    for (let round = 1; round <= inShort(3, 15); round += 1) {
      const words = `boom number ${round}`;
      // The page and the tests read the same clock of this machine.
      const shown = page.evaluate<number>(`new Promise((done) => {
        const row = document.querySelector('[data-row="deploy/shop/web"]').closest('tbody');
        const look = () => { if (row.textContent.includes(${JSON.stringify(words)})) { seen.disconnect(); done(Date.now()); } };
        const seen = new MutationObserver(look);
        seen.observe(row, { subtree: true, childList: true, characterData: true });
      })`);
      const at = await cluster.kill('shop', 'web-', { message: words });
      tookMs.push((await shown) - at);
      // Longer than the shortest time between two deltas, so that each death waits for nothing of the one before.
      await page.waitForTimeout(400);
    }
    const most = Math.max(...tookMs);
    printFigure(
      'death written by the kubelet → on the screen',
      `median ${medianOf(tookMs)} ms, most ${most} ms of ${tookMs.length}`,
    );
    expect(tookMs.every((ms) => ms >= 0)).toBe(true);
  });

  it('what happens next counts down', async () => {
    await cluster.kill('infra', 'dns-', { backOffSeconds: 600 });
    const row = 'deploy/infra/dns';
    await expect.poll(() => textOf(row)).toMatch(/starts again\s*in \d+:\d\d min/);
    const seconds = async (): Promise<number> => {
      const [, minutes = '', rest = ''] = /in (\d+):(\d\d) min/.exec(await textOf(row)) ?? [];
      return Number(minutes) * 60 + Number(rest);
    };
    const first = await seconds();
    await expect.poll(seconds).toBeLessThan(first);
    expect(await verdict()).not.toContain('6 pods healthy');
  });

  it('the worst is above, and is left when only that is wanted', async () => {
    expect(await page.locator('[data-row]').first().getAttribute('data-row')).toBe('deploy/infra/dns');
    await page.getByRole('button', { name: /Not well/ }).click();
    await expect.poll(() => page.locator('[data-row]').count()).toBe(1);
    await page.getByRole('button', { name: /Not well/ }).click();
    await page.getByRole('combobox', { name: 'Namespace' }).selectOption('shop');
    await expect.poll(() => page.locator('[data-row]').count()).toBe(2);
    await page.getByRole('combobox', { name: 'Namespace' }).selectOption('');
    const { node, pod } = cluster.find('infra', 'dns-');
    await node.run(pod);
    await expect.poll(() => verdict()).toContain('6 pods healthy');
  });
});

describe('closer', () => {
  it('a click opens the life of a workload', async () => {
    await rowOf(page, API).click();
    const life = page.locator('.life');
    await life.waitFor();
    await expect.poll(() => life.textContent()).toContain('out of memory');
    expect(await life.textContent()).toContain('api-');
    await page.keyboard.press('Escape');
    await life.waitFor({ state: 'detached' });
  });
});

describe('with keys alone', () => {
  it('everything is reached, and the focus is always seen', async () => {
    await reload(page);
    await untilLive(page);
    const stops: string[] = [];
    for (let press = 0; press < 60; press += 1) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate<string | null>(`(() => {
        const at = document.activeElement;
        if (at === null || at === document.body) return null;
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(at);
        const seen = (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
        return (seen ? '' : 'UNSEEN ') + (at.dataset.row ?? at.id ?? '') + ' ' + (at.getAttribute('aria-label') ?? at.textContent);
      })()`);
      if (stop === null) break;
      stops.push(stop);
    }
    expect(stops.filter((each) => each.startsWith('UNSEEN'))).toEqual([]);
    expect(stops.join('\n')).toMatch(/Help[^]*Filter[^]*Not well[^]*deploy\//);
  });

  it('a row is found, opened and closed', async () => {
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('/');
    await page.keyboard.type('api');
    expect(await page.getByRole('searchbox').inputValue()).toBe('api');
    await expect.poll(() => page.locator('[data-row]').count()).toBe(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('[data-row]').count()).toBe(3);
    await page.locator('[data-row]').first().focus();
    await page.keyboard.press('ArrowDown');
    const second = await page.evaluate<string>('document.activeElement.dataset.row');
    expect(second).toBe(await page.locator('[data-row]').nth(1).getAttribute('data-row'));
    await page.keyboard.press('Enter');
    await page.locator('.life').waitFor();
    expect(await page.evaluate('document.querySelector(".life").contains(document.activeElement)')).toBe(true);
    await page.keyboard.press('Escape');
    await page.locator('.life').waitFor({ state: 'detached' });
    expect(await page.evaluate<string>('document.activeElement.dataset.row')).toBe(second);
  });

  it('help opens and closes', async () => {
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });
});

/** What is wider than the window: elements that no ancestor scrolls or clips. */
const TOO_WIDE = `(() => {
  const wide = document.documentElement.scrollWidth > window.innerWidth;
  if (!wide) return [];
  return [...document.querySelectorAll('body *')]
    .filter((each) => each.getBoundingClientRect().right > window.innerWidth + 0.5)
    .slice(0, 5)
    .map((each) => each.tagName + '.' + each.className);
})()`;

type Look = readonly [name: string, how: { readonly width: number; readonly height?: number; readonly dark?: boolean }];
const LIGHT_WIDE: Look = ['light, wide', { width: 1280 }];
const DARK_SMALL: Look = ['dark, 360 px', { width: 360, height: 740, dark: true }];
const OTHERS: readonly Look[] = [
  ['dark, wide', { width: 1280, dark: true }],
  ['light, 360 px', { width: 360, height: 740 }],
];

describe.each([LIGHT_WIDE, DARK_SMALL, ...inShort([], OTHERS)])('%s', (_, look) => {
  it('nothing is wider than the window, and axe finds nothing', async () => {
    const other = await newVisitor(browser, { ...look, reducedMotion: true });
    await other.context.addCookies(await visitor.context.cookies());
    const seen = await other.open(`${link.origin}/`);
    await untilLive(seen);
    const problems: string[] = [];
    const check = async (what: string): Promise<void> => {
      const wide = await seen.evaluate<string[]>(TOO_WIDE);
      problems.push(...wide.map((each) => `${what}: too wide: ${each}`));
      problems.push(...(await axeProblems(seen)).map((each) => `${what}: ${each}`));
    };
    await check('page');
    await rowOf(seen, API).locator('[data-row]').click();
    await seen.locator('.life').waitFor();
    await expect.poll(() => seen.locator('.life').textContent()).toContain('out of memory');
    await check('life');
    await seen.keyboard.press('Escape');
    await seen.keyboard.press('?');
    await seen.getByRole('dialog').waitFor();
    await check('help');
    expect(problems).toEqual([]);
    expect(other.takeFaults()).toEqual([]);
    await other.leave();
  });

  it('the same of the form for who is not logged in', async () => {
    const stranger = await newVisitor(browser, look);
    const form = await stranger.open(`${link.origin}/`);
    await form.getByRole('button').first().waitFor();
    expect(await form.evaluate(TOO_WIDE)).toEqual([]);
    expect(await axeProblems(form)).toEqual([]);
    expect(stranger.takeFaults()).toEqual([]);
    await stranger.leave();
  });
});

describe('a tab that nobody sees', () => {
  it('has no stream, and says in its title how things are; seen again, it is live', async () => {
    const other = await newVisitor(browser);
    await other.context.addInitScript(`{
      const every = window.setInterval;
      window.setInterval = (work, ms) => every(work, ms === 60000 ? 200 : ms);
      let isHidden = false;
      Object.defineProperty(document, 'hidden', { get: () => isHidden });
      window.hide = (value) => { isHidden = value; document.dispatchEvent(new Event('visibilitychange')); };
    }`);
    const tab = await enter(other, await newLink(cluster.kubeconfig));
    await tab.evaluate('window.hide(true)');
    expect(await tab.title()).toContain(await verdict());
    await cluster.kill('shop', 'web-', { backOffSeconds: 600, message: 'unseen' });
    await expect.poll(() => tab.title()).toMatch(/^. .*healing/);
    await tab.evaluate('window.hide(false)');
    await untilLive(tab);
    expect(await textOf('deploy/shop/web', tab)).toContain('unseen');
    expect(other.takeFaults()).toEqual([]);
    await other.leave();
  });
});
