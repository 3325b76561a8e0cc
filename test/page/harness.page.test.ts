/** Tests the tests: what these suites take for a fault or for an attack is one in this browser. Without that, they could not fail. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeProblems } from './axe.ts';
import { newVisitor, REBOUND, startBrowser, STRANGER, type Visitor } from './browser.ts';
import { HostileSite } from './hostile-site.ts';

const POLICY = "default-src 'none'; script-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";
const NAME = 'mendlet-t35t.localhost';

let browser: Browser;
let site: HostileSite;
let server: Server;
let visitor: Visitor;
const pages = new Map<string, string>();

beforeAll(async () => {
  [browser, site] = await Promise.all([startBrowser(), HostileSite.start()]);
  server = createServer((request, response) => {
    const path = request.url ?? '';
    response.setHeader('content-type', path.endsWith('.js') ? 'text/javascript' : 'text/html');
    response.setHeader('content-security-policy', POLICY);
    response.setHeader('set-cookie', 'session=secret; HttpOnly; SameSite=Strict; Path=/');
    response.end(pages.get(path) ?? '<!doctype html><html lang="en"><title>t</title><main><h1>well</h1></main></html>');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  visitor = await newVisitor(browser);
});
afterAll(async () => {
  await browser.close();
  await site.stop();
  server.closeAllConnections();
  server.close();
});

const at = (path: string): string => `http://${NAME}:${(server.address() as AddressInfo).port}${path}`;

describe('faults that are noticed', () => {
  it.each([
    ['an error of a script', '<script src="/a.js"></script>', 'undefinedFunction()', /error: undefinedFunction/],
    ['inline script', '<script>1</script>', '', /Content Security Policy/],
    ['an inline handler', '<img src=x onerror="1">', '', /Content Security Policy/],
    ['inline style', '<p style="color:red">x</p>', '', /Content Security Policy/],
    ['a text as HTML', '<script src="/a.js"></script>', 'document.body.innerHTML = "<b>x</b>"', /TrustedHTML/],
    [
      'a policy of trusted types',
      '<script src="/a.js"></script>',
      'trustedTypes.createPolicy("x", {})',
      /Trusted|policy/,
    ],
  ])('%s', async (_, body, script, fault) => {
    pages.set('/a', `<!doctype html><html lang="en"><title>t</title><body>${body}</body></html>`);
    pages.set('/a.js', script);
    const page = await visitor.open(at('/a'));
    await expect.poll(() => visitor.faults.some((each) => fault.test(each))).toBe(true);
    visitor.takeFaults();
    await page.close();
  });

  it('none on a page that is well', async () => {
    const page = await visitor.open(at('/'));
    expect(await axeProblems(page)).toEqual([]);
    expect(visitor.takeFaults()).toEqual([]);
    await page.close();
  });

  it('what axe finds', async () => {
    pages.set('/b', '<!doctype html><title>t</title><img src="data:,"><button></button>');
    const page = await visitor.open(at('/b'));
    const problems = await axeProblems(page);
    expect(problems.join('\n')).toMatch(/html-has-lang[^]*|button-name/);
    expect(problems.length).toBeGreaterThan(1);
    visitor.takeFaults();
    await page.close();
  });
});

describe('attacks that are real', () => {
  it('a cookie goes to other ports of the same name, and to no other name', async () => {
    await (await visitor.open(at('/'))).close();
    for (const name of [NAME, 'localhost', '127.0.0.1', 'other.localhost', STRANGER, REBOUND]) {
      site.requests.length = 0;
      await (await visitor.open(site.at(name))).close();
      expect([name, site.requests[0]?.headers.cookie]).toEqual([name, name === NAME ? 'session=secret' : undefined]);
    }
    visitor.takeFaults();
  });

  it('a rebound name leads to any port of this machine', async () => {
    const page = await visitor.open(`http://${REBOUND}:${(server.address() as AddressInfo).port}/`);
    expect(await page.textContent('h1')).toBe('well');
    await page.close();
    visitor.takeFaults();
  });
});
