/**
 * The page of a real `mendlet up` with real containers (root): a death with its evidence, logs that follow and those of the dead, lines
 * that would be HTML, and a restart that restarts.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busyboxPod, mainContainer, Mendlet } from '../e2e/harness.ts';
import { newVisitor, reload, startBrowser, type Visitor } from './browser.ts';
import { hiddenCharacters } from './hidden-characters.ts';
import { enter, newLink, type PageLink, rowOf, untilLive } from './links.ts';

/** Lines that a shell prints as they are; single quotes would end its word. */
const HOSTILE = [
  '<img src=x onerror="window.hacked=1">',
  '</script><script>window.hacked=1</script>',
  '\u001b[31mred \u001b]8;;javascript:window.hacked=1\u0007link\u001b]8;;\u0007',
  'safe \u202Egnp.exe',
  'DATABASE_URL=postgres://shop:hunter2secret@db/shop',
];

let browser: Browser;
let mendlet: Mendlet;
let visitor: Visitor;
let link: PageLink;
let page: Page;

beforeAll(async () => {
  mendlet = new Mendlet({ podNetwork: 181 });
  [browser] = await Promise.all([startBrowser(), mendlet.up()]);
  const say = HOSTILE.map((line) => `echo '${line}'`).join('; ');
  await mendlet.create(
    busyboxPod('speaker', `${say}; i=0; while true; do i=$((i+1)); echo "line number $i"; sleep 1; done`),
    busyboxPod('crasher', `${say}; echo "fatal: cannot open /etc/app.conf"; exit 3`),
  );
  link = await newLink(mendlet.kubeconfig, '--write');
  visitor = await newVisitor(browser);
  page = await enter(visitor, link);
});
afterAll(async () => {
  await link.end();
  await browser.close();
  await mendlet.down();
});

async function openLife(id: string): Promise<ReturnType<Page['locator']>> {
  await rowOf(page, id).locator('[data-row]').click();
  const life = page.locator('.life');
  await life.waitFor();
  return life;
}

async function closeLife(): Promise<void> {
  await page.keyboard.press('Escape');
  await page.locator('.life').waitFor({ state: 'detached' });
}

async function expectHarmless(text: string | null): Promise<void> {
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  expect(await page.locator('img, iframe, [onerror]').count()).toBe(0);
  expect(hiddenCharacters(text)).toEqual([]);
  expect(text).not.toContain('hunter2secret');
  expect(visitor.takeFaults()).toEqual([]);
}

describe('real containers', () => {
  it('a death is shown with its exit, its last words, and what happens next', async () => {
    const row = rowOf(page, 'pod/default/crasher');
    await expect.poll(() => row.textContent(), { timeout: 120_000 }).toMatch(/starts again\s*in \d+ s/);
    await expect.poll(() => row.textContent()).toContain('cannot open /etc/app.conf');
    const life = await openLife('pod/default/crasher');
    await expect.poll(() => life.textContent()).toContain('fatal: cannot open /etc/app.conf');
    expect(await life.textContent()).toMatch(/exit code 3/);
    expect(await life.textContent()).toContain('<img src=x onerror="window.hacked=1">');
    expect(await life.textContent()).toMatch(/kubectl/);
    await expectHarmless(await life.textContent());
    await closeLife();
  });

  it('logs follow, as text', async () => {
    const life = await openLife('pod/default/speaker');
    await life.getByRole('button', { name: 'Log of main in speaker', exact: true }).click();
    const log = page.getByRole('log');
    await expect.poll(() => log.textContent()).toContain('</script><script>window.hacked=1</script>');
    const count = async (): Promise<number> => [...((await log.textContent()) ?? '').matchAll(/line number/g)].length;
    const first = await count();
    await expect.poll(count).toBeGreaterThan(first + 1);
    await expectHarmless(await log.textContent());
    await closeLife();
  });

  it('the log of a dead container is there', async () => {
    const life = await openLife('pod/default/crasher');
    await life.getByRole('button', { name: /^Previous log of main in crasher/ }).click();
    await expect.poll(() => page.getByRole('log').textContent()).toContain('fatal: cannot open /etc/app.conf');
    await expectHarmless(await page.getByRole('log').textContent());
    await closeLife();
  });

  it('a restart restarts, and the page says so', async () => {
    const before = mainContainer(await mendlet.pod('speaker'))?.containerID;
    const life = await openLife('pod/default/speaker');
    const button = life.getByRole('button', { name: 'Restart', exact: true }).first();
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');
    await button.click();
    await page
      .getByRole('group', { name: /Confirm/ })
      .getByRole('button', { name: 'Restart', exact: true })
      .click();
    await mendlet.untilPod('speaker', 'another container', (pod) => {
      const now = mainContainer(pod);
      return now?.containerID !== before && now?.ready === true;
    });
    await expect.poll(() => rowOf(page, 'pod/default/speaker').textContent()).toContain('1/1');
    await closeLife();
    await reload(page);
    await untilLive(page);
    expect(visitor.takeFaults()).toEqual([]);
  });
});
