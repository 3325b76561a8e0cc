import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { HtmlRewriter, MAX_TAG_CHARACTERS, throughProxy } from './rewrite-html.ts';

const rewrite = throughProxy('/p/proxy', 'http://10.1.1.1:80');

function whole(page: string, ...cuts: readonly number[]): string {
  const rewriter = new HtmlRewriter(rewrite);
  const edges = [0, ...cuts, page.length];
  const pieces = edges.slice(1).map((edge, at) => rewriter.push(page.slice(edges[at], edge)));
  return pieces.join('') + rewriter.end();
}

describe('a page through a proxy', () => {
  it.each([
    ['a link of the server', '<a href="/rewriteme">test</a>', '<a href="/p/proxy/rewriteme">test</a>'],
    ['single quotes', "<a class='x' href='/y'>", "<a class='x' href='/p/proxy/y'>"],
    ['no quotes', '<A HREF=/y>', '<A HREF=/p/proxy/y>'],
    ['spaces around the sign', '<img alt = "x" src = "/i.png"/>', '<img alt = "x" src = "/p/proxy/i.png"/>'],
    ['two links of an element', '<video poster="/a" src="/b">', '<video poster="/p/proxy/a" src="/p/proxy/b">'],
    ['an address of its own', '<form action="http://10.1.1.1:80/x">', '<form action="/p/proxy/x">'],
    ['a larger sign in quotes', '<a title="a > b" href="/x">', '<a title="a > b" href="/p/proxy/x">'],
    ['an apostrophe in text', "it's <a href='/x'>it's</a>", "it's <a href='/p/proxy/x'>it's</a>"],
    ['a source of a script', '<script src="/s.js"></script>', '<script src="/p/proxy/s.js"></script>'],
  ])('%s leads through it', (_, page, expected) => {
    expect(whole(page)).toBe(expected);
  });

  it.each([
    ['a relative link', '<a href="x/y">'],
    ['another server', '<a href="https://example.com/x"><a href="//example.com/x">'],
    ['a link that leads through it already', '<a href="/p/proxy/x">'],
    ['an attribute that is none', '<div href="/x" data-src="/y">'],
    ['text of a script', '<script>var a = \'<a href="/x">\'; </script>'],
    ['a comment', '<!-- <a href="/x"> -->'],
    ['no tag at all', 'a < b, "/x" <'],
    ['a tag that never ends', `<a href="/x" ${'y'.repeat(MAX_TAG_CHARACTERS)}`],
    ['an end tag', '</a href="/x">'],
  ])('%s stays', (_, page) => {
    expect(whole(page)).toBe(page);
  });

  it('goes on behind scripts and comments', () => {
    expect(whole('<SCRIPT>"</p>"</Script><!-- x --><a href="/x">')).toBe(
      '<SCRIPT>"</p>"</Script><!-- x --><a href="/p/proxy/x">',
    );
  });

  it('is the same however it is cut', () => {
    const parts = [
      '<a href="/x">',
      '<script>',
      '</script>',
      '<!--',
      '-->',
      "'",
      '"',
      '<',
      '>',
      'text',
      '<img src=/y />',
      '=',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 12 }), fc.nat(), fc.nat(), (chosen, a, b) => {
        const page = chosen.join('');
        const cuts = [a % (page.length + 1), b % (page.length + 1)].toSorted((x, y) => x - y);
        expect(whole(page, ...cuts)).toBe(whole(page));
      }),
    );
  });
});
