/** How people come to the page: by `--open`, and from beyond loopback, where it has TLS and strangers have sockets. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request as send } from 'node:http';
import { connect, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newVisitor, reload, startBrowser } from './browser.ts';
import { itInWhole } from './extent.ts';
import { enter, newLink, untilLive } from './links.ts';
import { PageCluster } from './page-cluster.ts';
import { newPerson } from './people.ts';

const PROGRAM = resolve(import.meta.dirname, '../../dist/mendlet.js');

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

describe('--open', () => {
  let cluster: PageCluster;
  let bin: string;
  beforeAll(async () => {
    cluster = await PageCluster.start({ nodes: 0 });
    bin = join(cluster.folder, 'bin');
    mkdirSync(bin);
  });
  afterAll(() => cluster.remove());

  /** @param script of the program that desktops have for opening files */
  async function open(script: string): Promise<{ readonly out: string; readonly err: string }> {
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, 'xdg-open'), 0o755);
    const env = { ...process.env, DISPLAY: ':99', HOME: cluster.folder, PATH: `${bin}:${process.env['PATH']}` };
    const args = [PROGRAM, 'dashboard', '--kubeconfig', cluster.kubeconfig, '--open'];
    return await new Promise((done) => execFile(process.execPath, args, { env }, (_, out, err) => done({ out, err })));
  }

  itInWhole('hands the link over in a file of its own, which leads a browser to the live page, once', async () => {
    const copy = join(cluster.folder, 'seen.html');
    const mode = join(cluster.folder, 'mode');
    const { out } = await open(`stat -c %a "$1" > ${mode}; case "$*" in *login*) exit 9;; esac; cp -p "$1" ${copy}`);
    expect(out).toMatch(/#login=/);
    expect([readFileSync(mode, 'utf8').trim(), statSync(copy).mode & 0o777]).toEqual(['600', 0o600]);
    // Nothing is left of it, neither where it was nor among the folders of the user.
    expect(readdirSync(cluster.folder).filter((name) => name.startsWith('mendlet-link'))).toEqual([]);
    const visitor = await newVisitor(browser);
    const page = await visitor.open(pathToFileURL(copy).href);
    await untilLive(page);
    expect(page.url()).not.toContain('login');
    expect(visitor.takeFaults()).toEqual([]);
    const second = await newVisitor(browser);
    const other = await second.open(pathToFileURL(copy).href);
    await expect.poll(() => other.locator('#login-problem').textContent()).toMatch(/was used/);
    await visitor.leave();
    await second.leave();
  });

  it('says when no browser was opened', async () => {
    expect((await open('exit 4')).err).toContain('no browser was opened: xdg-open ended with exit code 4');
    expect(readdirSync(cluster.folder).filter((name) => name.startsWith('mendlet-link'))).toEqual([]);
  });
});

describe('beyond loopback', () => {
  let cluster: PageCluster;
  beforeAll(async () => {
    cluster = await PageCluster.start({ flags: ['--dashboard', '0.0.0.0:0'] });
    await cluster.deploy({ namespace: 'shop', name: 'api' });
  });
  afterAll(() => cluster.remove());

  it('is live over TLS, with a cookie that only TLS and only this host get, while strangers hold all sockets', async () => {
    const link = await newLink(cluster.kubeconfig);
    expect(link.origin).toBe(`https://${hostname().toLowerCase()}:${link.port}`);
    const visitor = await newVisitor(browser, { anyCertificate: true });
    const page = await enter(visitor, link);
    const [cookie, ...others] = await visitor.context.cookies();
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: 'Strict', path: '/' });
    expect(cookie?.name).toMatch(/^__Host-/);
    const sockets = await holdSockets(link.port, 400);
    try {
      await reload(page);
      await untilLive(page);
      await cluster.kill('shop', 'api', { message: 'gone for a moment' });
      await page.getByText('gone for a moment').first().waitFor();
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    expect(visitor.takeFaults()).toEqual([]);
    await visitor.leave();
  });

  it('answers nothing without TLS', async () => {
    const { port } = await newLink(cluster.kubeconfig);
    const answered = await new Promise((done) => {
      const asked = send({ host: '127.0.0.1', port, path: '/' }, ({ statusCode }) => done(statusCode));
      asked.on('error', () => done('nothing'));
      asked.end();
    });
    expect(answered).toBe('nothing');
  });

  it('shows a stranger the form alone, and lets a token in', async () => {
    const { origin } = await newLink(cluster.kubeconfig);
    const stranger = await newVisitor(browser, { anyCertificate: true });
    const page = await stranger.open(origin);
    expect(await page.locator('h1').textContent()).toBe('Sign in');
    const { token } = await newPerson(cluster, 'anna', 'view', ['shop']);
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await untilLive(page);
    expect(await page.locator('.you').textContent()).toBe('system:serviceaccount:default:anna');
    expect(stranger.takeFaults()).toEqual([]);
    await stranger.leave();
  });
});

/** Connections that never begin their handshake, as many as there are places and more. */
async function holdSockets(port: number, count: number): Promise<readonly Socket[]> {
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      await new Promise((done) => socket.once('connect', done));
      return socket;
    }),
  );
}
