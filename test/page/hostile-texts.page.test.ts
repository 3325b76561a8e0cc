/**
 * Puts hostile texts everywhere where a text comes from outside: names, last words, reasons. None of it may become an element, an
 * address or a script, change the order of what stands around it, or burst the page.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newVisitor, reload, startBrowser, type Visitor } from './browser.ts';
import { hiddenCharacters } from './hidden-characters.ts';
import { enter, newLink, type PageLink, rowOf, untilLive } from './links.ts';
import { PageCluster } from './page-cluster.ts';

/** Last words of a container; `shown`: what a person reads of them. */
const WORDS: readonly (readonly [string, words: string, shown: RegExp])[] = [
  ['an image with a handler', '<img src=x onerror="window.hacked=1">', /<img src=x onerror="window\.hacked=1">/],
  ['the end of a script', '</script><script>window.hacked=1</script>', /<\/script><script>window\.hacked=1<\/script>/],
  ['the end of a comment', '--><svg/onload=window.hacked=1><!--', /--><svg\/onload/],
  ['an address', 'javascript:window.hacked=1//', /javascript:window\.hacked=1/],
  ['the end of an attribute', '" onmouseover="window.hacked=1" x="', /" onmouseover=/],
  ['a template', '{{constructor.constructor("window.hacked=1")()}}${window.hacked=1}', /\{\{constructor/],
  ['colours of a terminal', '\u001b[31mred\u001b]0;title\u0007 \u001b[2J', /red/],
  ['another direction', 'safe \u202Egnp.exe\u202C \u2066x', /gnp\.exe/],
  ['a JSON that ends the line', '{"type":"full"}\n{"type":"delta","revision":9007199254740991}', /"type":"full"/],
  ['a line separator', 'one\u2028two\u2029three\u0085four', /one/],
  ['half a character', 'half \ud83d end', /half/],
  ['a word without a place to break', 'x'.repeat(3000), /x{50}/],
];

/** Names that Kubernetes takes, and that are properties of every object in JavaScript, or as long as can be. */
const NAMES = [
  'constructor',
  'prototype',
  'valueof',
  'hasownproperty',
  'null',
  'xn--mgba3a4f16a',
  '0',
  `l${'o'.repeat(60)}ng`,
];
const LONGEST = `${'a.'.repeat(125)}end`;

let browser: Browser;
let cluster: PageCluster;
let visitor: Visitor;
let link: PageLink;
let page: Page;
const dialogs: string[] = [];

beforeAll(async () => {
  [browser, cluster] = await Promise.all([startBrowser(), PageCluster.start()]);
  const deployments = WORDS.map((_, at) => ({ namespace: 'words', name: `w${at}` }));
  await cluster.deploy(...deployments, ...NAMES.map((name) => ({ namespace: 'constructor', name })));
  await cluster.api.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: LONGEST, namespace: 'words' },
    spec: { nodeName: 'paper-1', containers: [{ name: 'tostring', image: 'x' }] },
  });
  for (const [at, [, words]] of WORDS.entries()) {
    await cluster.kill('words', `w${at}-`, { message: words, reason: at % 2 === 0 ? 'Error' : words.slice(0, 200) });
  }
  link = await newLink(cluster.kubeconfig);
  visitor = await newVisitor(browser);
  visitor.context.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  page = await enter(visitor, link);
});
afterAll(async () => {
  await link.end();
  await browser.close();
  await cluster.remove();
});

/** Nothing was run, loaded or made of a text. */
async function expectHarmless(of: Page): Promise<void> {
  expect(await of.evaluate('window.hacked')).toBeUndefined();
  expect(dialogs).toEqual([]);
  expect(
    await of
      .locator('img, iframe, object, embed, base, form[action*="javascript"], [onerror], [onload], [onmouseover]')
      .count(),
  ).toBe(0);
  const links = await of.evaluate<string[]>(`[...document.querySelectorAll('[href], [src], [action], [formaction]')]
    .filter((each) => each.tagName !== 'LINK' || each.rel !== 'icon')
    .map((each) => new URL(each.href ?? each.src ?? each.action, location.href))
    .filter((url) => url.origin !== location.origin).map(String)`);
  expect(links).toEqual([]);
  expect(visitor.takeFaults()).toEqual([]);
}

describe.each([
  ['as the stream brings it', async () => {}],
  [
    'as the server has drawn it',
    async () => {
      await reload(page);
      await untilLive(page);
    },
  ],
])('a hostile text, %s', (_, prepare) => {
  it('is a text', async () => {
    await prepare();
    for (const [at, [what, , shown]] of WORDS.entries()) {
      const row = rowOf(page, `deploy/words/w${at}`);
      await expect
        .poll(async () => ((await row.textContent()) ?? '').replaceAll(/\s+/g, ' '), { message: what })
        .toMatch(shown);
      // Control characters and those that change directions are no part of any text on the page.
      expect(hiddenCharacters(await row.textContent()), what).toEqual([]);
    }
    await expectHarmless(page);
  });
});

describe('hostile names', () => {
  it('have their rows, and their lives', async () => {
    for (const name of NAMES) {
      const row = rowOf(page, `deploy/constructor/${name}`);
      expect([name, await row.count()]).toEqual([name, 1]);
      expect(await row.textContent()).toContain('1/1');
    }
    for (const id of ['deploy/constructor/constructor', 'deploy/constructor/prototype', `pod/words/${LONGEST}`]) {
      await rowOf(page, id).locator('[data-row]').click();
      const life = page.locator('.life');
      await life.waitFor();
      await expect.poll(async () => (await life.textContent()) ?? '').toContain(id.split('/')[2]);
      await page.keyboard.press('Escape');
      await life.waitFor({ state: 'detached' });
    }
    await expectHarmless(page);
  });

  it('burst nothing at 360 px', async () => {
    const telephone = await newVisitor(browser, { width: 360, height: 740 });
    await telephone.context.addCookies(await visitor.context.cookies());
    const small = await telephone.open(`${link.origin}/`);
    await untilLive(small);
    expect(await small.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await rowOf(small, `pod/words/${LONGEST}`).locator('[data-row]').click();
    await small.locator('.life').waitFor();
    expect(await small.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await telephone.leave();
  });
});
