/** Tests the live page on a real `mendlet up`: its link, its first state, its stream, details and acts, with and without rights. */
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Life, PageRow, StreamMessage } from '../../src/page/index.ts';
import { busyboxPod, type CommandResult, Mendlet, mainContainer, root, run } from './harness.ts';

const mendlet = new Mendlet({ podNetwork: 174, flags: ['--service-cidr', '10.121.0.0/16'] });
const bundle = join(root, 'dist/mendlet.js');
/** Runs until a file is there; then says why it dies. */
const MORTAL =
  'trap "exit 0" TERM; while [ ! -e /tmp/die ]; do sleep 0.1; done; echo "fatal: password=hunter2 no database" >&2; exit 7';

beforeAll(() => mendlet.up());
afterAll(() => mendlet.down());

const dashboard = (...args: string[]): Promise<CommandResult> =>
  run(process.execPath, [bundle, 'dashboard', '--kubeconfig', mendlet.kubeconfig, ...args]);

/** A browser, as far as this needs one. */
class Visitor {
  readonly origin: string;
  cookie = '';

  constructor(origin: string) {
    this.origin = origin;
  }

  static async enter(...args: string[]): Promise<Visitor> {
    const { code, stdout, stderr } = await dashboard(...args);
    if (code !== 0 || !stderr.includes('works once')) throw new Error(`mendlet dashboard: ${code} ${stderr}`);
    return await Visitor.follow(stdout.trim());
  }

  static async follow(link: string): Promise<Visitor> {
    const [origin = '', loginCode] = link.split('/#login=');
    const visitor = new Visitor(origin);
    const { status, text } = await visitor.ask('/login', { code: loginCode });
    if (status !== 204) throw new Error(`login: ${status} ${text}`);
    return visitor;
  }

  /** With a body it is a POST. `until`: the answer ends there. */
  ask(
    path: string,
    body?: unknown,
    until: (text: string) => boolean = () => false,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const { host, port } = new URL(this.origin);
    const headers = {
      host,
      ...(this.cookie === '' ? {} : { cookie: this.cookie }),
      ...(body === undefined ? {} : { 'content-type': 'application/json', origin: this.origin }),
    };
    return new Promise((resolve, reject) => {
      const method = body === undefined ? 'GET' : 'POST';
      const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
        const [cookie] = response.headers['set-cookie'] ?? [];
        if (cookie !== undefined) this.cookie = cookie.split(';')[0] ?? '';
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          if (until(text)) response.destroy();
        });
        response.on('close', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      asked.on('error', reject);
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Follows the stream until a row is as wanted. */
  async untilRow(id: string, isAsWanted: (row: PageRow) => boolean): Promise<PageRow> {
    let found: PageRow | undefined;
    await this.ask('/stream', undefined, (text) => {
      found = rowsIn(text).findLast((row) => row.id === id && isAsWanted(row));
      return found !== undefined;
    });
    if (found === undefined) throw new Error(`the stream ended before ${id} was as wanted`);
    return found;
  }
}

function rowsIn(text: string): readonly PageRow[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as StreamMessage)
    .flatMap((message) =>
      message.type === 'full' ? message.state.rows : message.type === 'delta' ? (message.rows ?? []) : [],
    );
}

describe('the live page', () => {
  it('shows a death within a moment, why, and what was done, and restarts', async () => {
    await mendlet.create(busyboxPod('mortal', MORTAL));
    await mendlet.untilPod('mortal', 'ready', (pod) => mainContainer(pod)?.ready === true);
    const link = (await dashboard('--write')).stdout.trim();
    const admin = await Visitor.follow(link);
    // The link is used up.
    await expect(Visitor.follow(link)).rejects.toThrow('login: 403');
    const page = await admin.ask('/');
    expect(page.status).toBe(200);
    // Without any script.
    expect(page.text).toContain('mortal');
    expect(page.text).toContain('1 pod healthy');

    const dead = admin.untilRow(
      'pod/default/mortal',
      ({ lastDeath }) => lastDeath?.words.includes('database') === true,
    );
    // The container may end before the command that ends it has.
    await mendlet.tryKubectl(['exec', 'mortal', '--', 'touch', '/tmp/die']);
    expect(await dead).toMatchObject({ restarts: expect.any(Number), lastDeath: { container: 'main' } });
    const life = JSON.parse((await admin.ask('/life?id=pod/default/mortal')).text) as Life;
    expect(life.deaths[0]).toMatchObject({ exit: expect.stringContaining('7'), container: 'main' });
    expect(life.deaths[0]?.evidence.lastLines.join()).toContain('no database');
    expect(life.events.length).toBeGreaterThan(0);
    expect(JSON.stringify(life)).not.toContain('hunter2');
    const logs = await admin.ask('/logs?namespace=default&pod=mortal&container=main&previous=true');
    expect(logs).toEqual({ status: 200, text: expect.stringContaining('password=*** no database') });

    expect(JSON.parse((await admin.ask('/rights?namespace=default')).text)).toMatchObject({
      restart: { allowed: true },
    });
    const act = { act: 'restart', kind: 'pod', namespace: 'default', name: 'mortal' };
    expect(await admin.ask('/acts', act)).toMatchObject({ status: 200, text: expect.stringContaining('"ok":true') });
    await expect.poll(() => mendlet.kubectl(['get', 'podrestarts', '-o', 'name'])).toContain('podrestart');
  });

  it('shows to others what they may see, and refuses strangers', async () => {
    await mendlet.kubectl(['create', 'serviceaccount', 'viewer']);
    await mendlet.kubectl(['create', 'rolebinding', 'viewer', '--clusterrole=view', '--serviceaccount=default:viewer']);
    const token = (await mendlet.kubectl(['create', 'token', 'viewer'])).trim();
    const { origin } = await Visitor.enter();
    const viewer = new Visitor(origin);
    expect(await viewer.ask('/stream')).toMatchObject({ status: 401 });
    expect(await viewer.ask('/login', { token: 'wrong' })).toMatchObject({ status: 403 });
    expect(await viewer.ask('/login', { token })).toMatchObject({ status: 204 });
    const page = await viewer.ask('/');
    expect(page.text).toContain('You may not list pods in all namespaces');
    expect(page.text).not.toContain('mortal');
    const rights = JSON.parse((await viewer.ask('/rights?namespace=default')).text);
    expect(rights).toMatchObject({ restart: { allowed: false, reason: expect.any(String) } });
    const act = { act: 'restart', kind: 'pod', namespace: 'default', name: 'mortal' };
    expect(await viewer.ask('/acts', act)).toMatchObject({ status: 403 });
    // Signed out when the account goes.
    const stranger = new Visitor(origin.replace(/mendlet-[0-9a-f]+\.localhost/, 'localhost'));
    expect(await stranger.ask('/')).toMatchObject({ status: 421 });
  });
});
