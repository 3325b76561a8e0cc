/** Five hundred pods on one screen: what the browser draws for each change, how long it stands still, and what one tab costs the server. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newVisitor, startBrowser, type Visitor } from './browser.ts';
import { inShort, itInWhole } from './extent.ts';
import { printFigure } from './figures.ts';
import { enter, newLink, type PageLink, rowOf } from './links.ts';
import { PageCluster } from './page-cluster.ts';

const WORKLOADS = inShort(20, 100);
const REPLICAS = 5;
const DEATHS_A_SECOND = 10;
const SECONDS = 20;

let browser: Browser;
let cluster: PageCluster;
let visitor: Visitor;
let link: PageLink;

const namespaceOf = (at: number): string => `ns-${at % 5}`;
const nameOf = (at: number): string => `web-${String(at).padStart(3, '0')}`;

beforeAll(async () => {
  [browser, cluster] = await Promise.all([startBrowser(), PageCluster.start({ nodes: 5 })]);
  const all = Array.from({ length: WORKLOADS }, (_, at) => ({
    namespace: namespaceOf(at),
    name: nameOf(at),
    replicas: REPLICAS,
  }));
  await cluster.deploy(...all);
  link = await newLink(cluster.kubeconfig);
  visitor = await newVisitor(browser, { height: 900 });
});
afterAll(async () => {
  await link.end();
  await browser.close();
  await cluster.remove();
});

interface Stutter {
  /** Together, ms: tasks that kept the page busy for more than 50 ms. */
  readonly longMs: number;
  readonly longest: number;
  /** Between two frames, ms. */
  readonly worstFrameMs: number;
  /** All work of the page's main thread, ms. */
  readonly busyMs: number;
}

/** Watches a page while `work` runs. */
async function stutterOf(page: Page, work: () => Promise<void>): Promise<Stutter> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const busy = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
  };
  await page.evaluate(`(() => {
    const seen = window.stutter = { long: [], frame: 0, stop: false };
    seen.observer = new PerformanceObserver((list) => seen.long.push(...list.getEntries().map(({ duration }) => duration)));
    seen.observer.observe({ type: 'longtask' });
    let last = performance.now();
    const frame = (now) => { seen.frame = Math.max(seen.frame, now - last); last = now; if (!seen.stop) requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  })()`);
  const before = await busy();
  await work();
  const after = await busy();
  const seen = await page.evaluate<{ long: number[]; frame: number }>(
    '(() => { const { long, frame, observer } = window.stutter; window.stutter.stop = true; observer.disconnect(); return { long, frame } })()',
  );
  await session.detach();
  return {
    longMs: seen.long.reduce((sum, ms) => sum + ms, 0),
    longest: Math.max(0, ...seen.long),
    worstFrameMs: seen.frame,
    busyMs: after - before,
  };
}

async function deaths(seconds: number): Promise<void> {
  for (let at = 0; at < seconds * DEATHS_A_SECOND; at += 1) {
    const next = new Promise((done) => setTimeout(done, 1000 / DEATHS_A_SECOND));
    const workload = (at * 7) % WORKLOADS;
    await cluster.kill(namespaceOf(workload), `${nameOf(workload)}-`, { message: `death ${at}` });
    await next;
  }
}

it('all are on one screen, and a change draws its own row alone', async () => {
  const begun = performance.now();
  const page = await enter(visitor, link);
  printFigure(`${WORKLOADS * REPLICAS} pods: link → live`, `${Math.round(performance.now() - begun)} ms`);
  await expect.poll(() => page.locator('[data-row]').count()).toBe(WORKLOADS);
  await expect
    .poll(() => page.getByRole('heading', { level: 1 }).textContent())
    .toContain(`${WORKLOADS * REPLICAS} pods healthy`);
  await page.evaluate(`(() => {
    window.drawn = new Set();
    new MutationObserver((records) => {
      for (const { target } of records) {
        const row = (target.nodeType === 1 ? target : target.parentElement)?.closest('tr');
        const id = row?.querySelector('[data-row]')?.dataset.row;
        if (id !== undefined) window.drawn.add(id);
      }
    }).observe(document.querySelector('tbody'), { subtree: true, childList: true, characterData: true, attributes: true });
  })()`);
  await cluster.kill(namespaceOf(3), `${nameOf(3)}-`, { message: 'the only one' });
  const id = `deploy/${namespaceOf(3)}/${nameOf(3)}`;
  await expect.poll(() => rowOf(page, id).textContent()).toContain('the only one');
  await page.waitForTimeout(1500);
  expect(await page.evaluate('[...window.drawn]')).toEqual([id]);
  expect(visitor.takeFaults()).toEqual([]);
  await page.close();
});

it('what is typed while pods die is all there', async () => {
  const page = await enter(visitor, { ...link, url: `${link.origin}/` });
  const field = page.getByRole('searchbox');
  const dying = deaths(inShort(3, 10));
  for (let round = 0; round < inShort(10, 40); round += 1) {
    await field.focus();
    await page.keyboard.type('web-00 of all');
    expect(await field.inputValue()).toBe('web-00 of all');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
  }
  await page.keyboard.type(nameOf(7));
  await expect.poll(() => page.locator('[data-row]').count()).toBe(1);
  await dying;
  expect(visitor.takeFaults()).toEqual([]);
  await page.close();
});

itInWhole('how it moves while ten pods a second die', async () => {
  const page = await enter(visitor, { ...link, url: `${link.origin}/` });
  const idle = await stutterOf(page, () => page.waitForTimeout(SECONDS * 1000));
  const busy = await stutterOf(page, () => deaths(SECONDS));
  const told = ({ longMs, longest, worstFrameMs, busyMs }: Stutter): string =>
    `${Math.round(busyMs)} ms of work, ${Math.round(longMs)} ms in long tasks, the longest ${Math.round(longest)} ms, worst frame ${Math.round(worstFrameMs)} ms`;
  printFigure(`${WORKLOADS * REPLICAS} pods, idle for ${SECONDS} s`, told(idle));
  printFigure(`${WORKLOADS * REPLICAS} pods, ${DEATHS_A_SECOND} deaths a second for ${SECONDS} s`, told(busy));
  printFigure(
    'work of the page, with deaths / idle',
    `${(busy.busyMs / Math.max(1, idle.busyMs)).toFixed(1)}, ${((100 * busy.busyMs) / (SECONDS * 1000)).toFixed(1)} % of a core`,
  );
  expect(visitor.takeFaults()).toEqual([]);
  await page.close();
});

itInWhole('what one tab with 200 pods costs the server', async () => {
  // A link for the namespaces that have 200 of the pods would hide the others from the feed: 200 are left.
  for (let at = 40; at < WORKLOADS; at += 1)
    await cluster.api.send('DELETE', `/apis/apps/v1/namespaces/${namespaceOf(at)}/deployments/${nameOf(at)}`);
  await expect
    .poll(async () => (await cluster.api.get<{ items: unknown[] }>('/api/v1/pods')).items.length, { timeout: 200_000 })
    .toBe(40 * REPLICAS);
  // What the deletions have left to do ends, and so does the feed of the tabs before, after half a minute.
  await new Promise((done) => setTimeout(done, 60_000));
  const minute = async (): Promise<number> => {
    const before = cluster.cpuMs();
    await new Promise((done) => setTimeout(done, 60_000));
    return (cluster.cpuMs() - before) / 600;
  };
  const without = await minute();
  const page = await enter(visitor, { ...link, url: `${link.origin}/` });
  const within = await minute();
  await page.close();
  await new Promise((done) => setTimeout(done, 35_000));
  const after = await minute();
  const tab = within - (without + after) / 2;
  printFigure(
    'CPU of the server, 200 pods, percent of a core over a minute',
    `no tab ${without.toFixed(2)}, one tab ${within.toFixed(2)}, no tab again ${after.toFixed(2)}: the tab ${tab.toFixed(2)}`,
  );
  expect(tab).toBeLessThan(1);
});
