/**
 * Attacks the page from the browser of somebody who is logged in: from another site, from another port of this machine under every
 * name that leads here, and by a rebound name. None may read, do or end anything; what the cookie guards is worth as much as the cluster.
 */
import { request as send } from 'node:http';
import { connect } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newVisitor, REBOUND, reload, startBrowser, STRANGER, type Visitor } from './browser.ts';
import { inShort } from './extent.ts';
import { HostileSite } from './hostile-site.ts';
import { enter, newLink, type PageLink, rowOf } from './links.ts';
import { PageCluster } from './page-cluster.ts';

let browser: Browser;
let cluster: PageCluster;
let site: HostileSite;
let visitor: Visitor;
let link: PageLink;
let page: Page;

beforeAll(async () => {
  [browser, cluster, site] = await Promise.all([startBrowser(), PageCluster.start(), HostileSite.start()]);
  await cluster.deploy({ namespace: 'shop', name: 'api' });
  link = await newLink(cluster.kubeconfig, '--write');
  visitor = await newVisitor(browser);
  page = await enter(visitor, link);
});
afterAll(async () => {
  await link.end();
  await browser.close();
  await cluster.remove();
  await site.stop();
});

const ACT = JSON.stringify({ act: 'restart', kind: 'deploy', namespace: 'shop', name: 'api' });

/** What the API server keeps of the workload that attackers would restart. */
async function stateOfApi(): Promise<string> {
  const { items } = await cluster.api.get<{ items: { metadata: { uid: string; annotations?: object } }[] }>(
    '/api/v1/namespaces/shop/pods',
  );
  const restarts = await cluster.api.get<{ items: unknown[] }>('/apis/mendlet.dev/v1alpha1/podrestarts');
  return JSON.stringify([items.map(({ metadata }) => [metadata.uid, metadata.annotations]), restarts.items.length]);
}

/** The statuses of a server's answers to whatever a page sends, also of those that the browser keeps from the page. */
async function answersTo(
  page: Page,
  host: string,
): Promise<{ readonly statuses: number[]; readonly stop: () => Promise<void> }> {
  const session = await page.context().newCDPSession(page);
  const asked = new Set<string>();
  const statuses: number[] = [];
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (new URL(request.url).host === host) asked.add(requestId);
  });
  session.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => {
    if (asked.has(requestId)) statuses.push(statusCode);
  });
  await session.send('Network.enable');
  return { statuses, stop: () => session.detach() };
}

/** Requests that read or act, from the script of whichever page runs this: what each has brought to light. */
const ATTACKS = (target: string): string => `(async () => {
  const found = [];
  const target = ${JSON.stringify(target)};
  const attempt = async (what, work) => { try { const got = await work(); if (got) found.push(what + ': ' + String(got).slice(0, 200)); } catch {} };
  const limit = (ms) => new Promise((done) => setTimeout(done, ms));
  for (const path of ['/', '/stream', '/life?id=deploy/shop/api', '/rights?namespace=shop', '/logs?namespace=shop&pod=x&container=main'])
    for (const mode of ['cors', 'no-cors', 'same-origin'])
      await attempt('GET ' + path + ' ' + mode, async () => {
        const answer = await fetch(target + path, { mode, credentials: 'include' });
        return answer.ok && ((await answer.text()) || 'ok');
      });
  for (const [path, body] of [['/acts', ${JSON.stringify(ACT)}], ['/logout', '{}'], ['/login', '{"token":"x"}']])
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded'])
      for (const mode of ['cors', 'no-cors'])
        await attempt('POST ' + path + ' ' + type + ' ' + mode, async () => {
          const answer = await fetch(target + path, { method: 'POST', mode, credentials: 'include', headers: { 'content-type': type }, body });
          return answer.ok && 'done';
        });
  await attempt('beacon', async () => { navigator.sendBeacon(target + '/acts', new Blob([${JSON.stringify(ACT)}], { type: 'text/plain' })); });
  await attempt('event source', () => Promise.race([limit(1500), new Promise((done) => {
    const source = new EventSource(target + '/stream', { withCredentials: true });
    source.onmessage = ({ data }) => done(data); source.onopen = () => done('open'); source.onerror = () => { source.close(); done(); };
  })]));
  await attempt('web socket', () => Promise.race([limit(1500), new Promise((done) => {
    const socket = new WebSocket(target.replace('http', 'ws') + '/stream');
    socket.onopen = () => done('open'); socket.onerror = () => done();
  })]));
  await attempt('image', () => Promise.race([limit(1500), new Promise((done) => {
    const image = new Image(); image.onload = () => done('loaded'); image.onerror = () => done(); image.src = target + '/';
  })]));
  for (const path of ['/stream', '/life?id=deploy/shop/api', '/rights?namespace=shop'])
    await attempt('script ' + path, () => Promise.race([limit(1500), new Promise((done) => {
      const script = document.createElement('script'); script.onload = () => done('loaded'); script.onerror = () => done();
      script.src = target + path; document.body.append(script);
    })]));
  return found;
})()`;

describe.each([STRANGER, 'other.localhost', 'THE SAME NAME', ...inShort([], ['127.0.0.1', 'localhost'])])(
  'a page at %s on another port',
  (where) => {
    let hostile: Page;
    let before: string;
    const target = (): string => link.origin;

    beforeEach(async () => {
      before = await stateOfApi();
      site.requests.length = 0;
      // The name has 128 random bits or so and is told to nobody. Even who knows it gets no further.
      hostile = await visitor.open(site.at(where === 'THE SAME NAME' ? link.name : where));
    });
    afterEach(async () => {
      await hostile.close();
      visitor.takeFaults();
      // Whatever was tried: nothing was done, and the session goes on.
      expect(await stateOfApi()).toBe(before);
      await page.bringToFront();
      const { status } = await page.evaluate<{ status: number }>(
        'fetch("/rights?namespace=shop").then(({ status }) => ({ status }))',
      );
      expect(status).toBe(200);
    });

    it('reads nothing, and does nothing, by script', async () => {
      const { statuses, stop } = await answersTo(hostile, `${link.name}:${link.port}`);
      const found = await hostile.evaluate<string[]>(ATTACKS(target()));
      await stop();
      // A page of the same name gets the cookie sent, which the check of the origin makes worthless.
      expect(found).toEqual([]);
      expect(statuses.length).toBeGreaterThan(5);
      expect(statuses.filter((status) => status < 400)).toEqual([]);
    });

    it('does nothing by forms', async () => {
      for (const [path, enctype] of [
        ['/acts', 'text/plain'],
        ['/logout', 'application/x-www-form-urlencoded'],
        ['/login', 'multipart/form-data'],
      ]) {
        const answer = hostile.waitForResponse((response) => response.url() === `${target()}${path}`);
        await hostile.evaluate(`(() => {
        const form = Object.assign(document.createElement('form'), { method: 'post', action: ${JSON.stringify(target() + path)}, enctype: '${enctype}' });
        form.append(Object.assign(document.createElement('input'), { name: ${JSON.stringify(`${ACT.slice(0, -1)},"x":"`)}, value: '"}' }));
        document.body.append(form);
        form.submit();
      })()`);
        expect((await answer).status()).toBeGreaterThanOrEqual(400);
        await hostile.waitForURL(`${target()}${path}`);
        await hostile.goto(site.at(where === 'THE SAME NAME' ? link.name : where));
      }
    });

    it('cannot frame the page, nor keep a window of it', async () => {
      const framed = await hostile.evaluate<string>(`new Promise((done) => {
      const frame = document.createElement('iframe');
      frame.src = ${JSON.stringify(target())};
      frame.onload = () => { try { done(frame.contentDocument?.body?.textContent ?? '') } catch { done('apart') } };
      document.body.append(frame);
      setTimeout(() => done('nothing'), 3000);
    })`);
      expect(framed).not.toMatch(/pods|api/);
      const [frame] = hostile.frames().filter((each) => each !== hostile.mainFrame());
      expect(await frame?.evaluate<string>('document.body?.textContent ?? ""').catch(() => '')).not.toMatch(
        /pods healthy/,
      );
      const opened = visitor.context.waitForEvent('page');
      await hostile.evaluate(`window.taken = window.open(${JSON.stringify(target())}, 'taken'); undefined`);
      const window = await opened;
      await window.waitForLoadState();
      await expect.poll(() => hostile.evaluate('window.taken.closed')).toBe(true);
      expect(await window.evaluate('window.opener')).toBeNull();
      // A script as an address reaches no window but a new one of the hostile page's own.
      await hostile
        .evaluate(`window.open('javascript:document.title="taken over"', 'taken'); undefined`)
        .catch(() => {});
      expect(await window.title()).not.toContain('taken over');
      if (where !== 'THE SAME NAME') expect(await window.locator('tr').count()).toBe(0);
      for (const each of visitor.context.pages()) if (each !== page && each !== hostile) await each.close();
    });

    it('gets no cookie, and can plant none that lets it in', async () => {
      if (where !== 'THE SAME NAME') {
        expect(site.requests.map(({ headers }) => headers.cookie ?? '')).toEqual(site.requests.map(() => ''));
      }
      const [session] = (await visitor.context.cookies(target())).filter(({ httpOnly }) => httpOnly);
      expect(session).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
      const name = session?.name ?? '';
      site.cookies = [
        `${name}=planted; Path=/stream`,
        `${name}=planted; Domain=localhost; Path=/`,
        `${name}=planted; Domain=.${link.name}; Path=/life`,
      ];
      await hostile.goto(site.at(where === 'THE SAME NAME' ? link.name : where));
      site.cookies = [];
      // Where a planted one is beside the real one, the answer is no, and never the attacker's session.
      const got = await page.evaluate<number>('fetch("/rights?namespace=shop").then(({ status }) => status)');
      expect(got).toBe(200);
      await visitor.context.clearCookies({ name, path: '/stream' });
      await visitor.context.clearCookies({ name, path: '/life' });
    });
  },
);

describe('a rebound name', () => {
  it('leads to no page, no login, no data', async () => {
    const rebound = await visitor.open(`http://${REBOUND}:${link.port}/`);
    const { statuses, stop } = await answersTo(rebound, `${REBOUND}:${link.port}`);
    expect(await rebound.textContent('body')).not.toMatch(/pods|token/i);
    // The name that is right is not told: whoever knows it could have browsers send the cookie to another port of it.
    expect(await rebound.textContent('body')).not.toContain(link.name);
    const found = await rebound.evaluate<string[]>(ATTACKS(`http://${REBOUND}:${link.port}`));
    await stop();
    expect(found).toEqual([]);
    expect(statuses.length).toBeGreaterThan(5);
    expect(statuses.filter((status) => status < 400)).toEqual([]);
    expect(site.requests.filter(({ headers }) => headers.host?.includes(REBOUND) === true)).toEqual([]);
    await rebound.close();
    visitor.takeFaults();
  });

  it.each([
    ['an address', () => `127.0.0.1:${link.port}`],
    ['localhost', () => `localhost:${link.port}`],
    ['the name without the port', () => link.name],
    ['another port', () => `${link.name}:${link.port + 1}`],
    ['a name below', () => `x.${link.name}:${link.port}`],
    ['a longer name', () => `${link.name}.${STRANGER}:${link.port}`],
    ['a dot at the end', () => `${link.name}.:${link.port}`],
    ['a user before', () => `x@${link.name}:${link.port}`],
    ['two names', () => `${link.name}:${link.port}, ${REBOUND}`],
    ['nothing', () => ''],
  ])('the Host %s is refused', async (_, host) => {
    const cookie = (await visitor.context.cookies(link.origin)).map(({ name, value }) => `${name}=${value}`).join('; ');
    for (const path of ['/', '/stream', '/rights?namespace=shop']) {
      const { status, body } = await raw(path, { host: host(), cookie });
      expect([path, status >= 400]).toEqual([path, true]);
      expect(body).not.toMatch(/pods healthy|"allowed"/);
    }
  });

  it('an address on the request line chooses no other host', async () => {
    const cookie = (await visitor.context.cookies(link.origin)).map(({ name, value }) => `${name}=${value}`).join('; ');
    const answer = await rawLine(
      `GET ${link.origin}/rights?namespace=shop HTTP/1.1\r\nHost: ${REBOUND}:${link.port}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d/);
    const twice = await rawLine(
      `GET /rights?namespace=shop HTTP/1.1\r\nHost: ${link.name}:${link.port}\r\nHost: ${REBOUND}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`,
    );
    expect(twice).toMatch(/^HTTP\/1\.1 4\d\d/);
  });
});

describe('the page itself', () => {
  it('has no way for a script or a style that is not its own', async () => {
    const headers = (await page.goto(`${link.origin}/`))?.headers() ?? {};
    const policy = headers['content-security-policy'] ?? '';
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
    ])
      expect(policy).toContain(rule);
    expect(policy).not.toMatch(/unsafe|\*|http/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(
      await page.evaluate<string>(
        `(() => { try { document.body.insertAdjacentHTML('beforeend', '<i>x</i>'); return 'inserted' } catch ({ name }) { return name } })()`,
      ),
    ).toBe('TypeError');
    expect(
      await page.evaluate<string>(
        `new Promise((done) => setTimeout(() => { try { (0, eval)('1'); done('evaluated') } catch ({ name }) { done(name) } }))`,
      ),
    ).toBe('EvalError');
    const worker = await page.evaluate<string>(
      `navigator.serviceWorker.register('/logs?namespace=shop&pod=x&container=main').then(() => 'registered', ({ name }) => name)`,
    );
    expect(worker).not.toBe('registered');
    visitor.takeFaults();
  });

  it('works as before, after all of it', async () => {
    visitor.takeFaults();
    await reload(page);
    await expect.poll(async () => await rowOf(page, 'deploy/shop/api').textContent()).toContain('1/1');
    expect(visitor.takeFaults()).toEqual([]);
  });

  it('is over everywhere after signing out', async () => {
    const cookies = await visitor.context.cookies(link.origin);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(() => page.locator('tr').count()).toBe(0);
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const { status } = await raw('/rights?namespace=shop', { host: `${link.name}:${link.port}`, cookie });
    expect(status).toBe(401);
  });
});

function raw(
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((done, fail) => {
    const call = send({ host: '127.0.0.1', port: link.port, path, headers, setHost: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
        // A stream would not end.
        if (body.length > 10_000) response.destroy();
      });
      response.on('close', () => done({ status: response.statusCode ?? 0, body }));
      response.on('error', () => done({ status: response.statusCode ?? 0, body }));
    });
    call.setTimeout(20_000, () => call.destroy(new Error('no answer')));
    call.on('error', fail);
    call.end();
  });
}

function rawLine(text: string): Promise<string> {
  return new Promise((done, fail) => {
    const socket = connect(link.port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      answer += chunk;
      if (answer.length > 10_000) socket.destroy();
    });
    socket.on('close', () => done(answer));
    socket.on('error', fail);
  });
}
