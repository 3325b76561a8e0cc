import { existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import { silentLogger } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { LogGc } from './log-gc.ts';
import { LOG_OWNER_FILE } from '../pods/log-names.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'log-gc-'));
  mkdirSync(join(root, 'pods'));
  mkdirSync(join(root, 'containers'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function folder(name: string, owner: string | undefined): void {
  mkdirSync(join(root, 'pods', name, 'main'), { recursive: true });
  if (owner !== undefined) writeFileSync(join(root, 'pods', name, LOG_OWNER_FILE), `${owner}\n`);
}

function link(name: string, target: string): void {
  symlinkSync(target, join(root, 'containers', name));
}

const has = (...path: string[]): boolean => lstatSync(join(root, ...path), { throwIfNoEntry: false }) !== undefined;

function gc(known: readonly string[] | undefined, containers: readonly string[] = []) {
  const state: { known: readonly string[] | undefined } = { known };
  const collector = new LogGc({
    clock: createManualClock(),
    logger: silentLogger,
    fs: systemFileSystem,
    podLogsDir: join(root, 'pods'),
    instanceId: 'one',
    isKnown: () => state.known && ((uid) => state.known?.includes(uid) === true),
    hasContainer: (id) => containers.includes(id),
  });
  return { collector, state };
}

describe('log folders', () => {
  it('of ours go when their pod is gone for two rounds; of others never', async () => {
    folder('ns_gone_u1', 'one');
    folder('ns_here_u2', 'one');
    folder('ns_theirs_u3', 'two');
    folder('ns_kubelet_u4', undefined);
    folder('odd', 'one');
    const { collector } = gc(['u2']);
    await collector.collect();
    expect(existsSync(join(root, 'pods/ns_gone_u1'))).toBe(true);
    await collector.collect();
    expect(
      ['ns_gone_u1', 'ns_here_u2', 'ns_theirs_u3', 'ns_kubelet_u4', 'odd'].map((name) => has('pods', name)),
    ).toEqual([false, true, true, true, true]);
  });

  it('stay when the pod comes in between, and while nobody knows who there is', async () => {
    folder('ns_p_u1', 'one');
    const { collector, state } = gc([]);
    await collector.collect();
    state.known = ['u1'];
    await collector.collect();
    state.known = undefined;
    await collector.collect();
    await collector.collect();
    expect(has('pods', 'ns_p_u1')).toBe(true);
  });

  it('may be missing altogether', async () => {
    rmSync(root, { recursive: true });
    await gc([]).collector.collect();
  });
});

describe('links to logs', () => {
  it('go when they lead nowhere that anybody could write to', async () => {
    folder('ns_mine_u1', 'one');
    folder('ns_theirs_u2', 'two');
    const pods = join(root, 'pods');
    writeFileSync(join(pods, 'ns_mine_u1/main/1.log'), '');
    link('mine_ns_main-live.log', join(pods, 'ns_mine_u1/main/1.log'));
    link('mine_ns_main-rotating.log', join(pods, 'ns_mine_u1/main/2.log'));
    link('mine_ns_main-dead.log', join(pods, 'ns_mine_u1/main/0.log'));
    link('gone_ns_main-x.log', join(pods, 'ns_gone_u9/main/0.log'));
    link('theirs_ns_main-x.log', join(pods, 'ns_theirs_u2/main/0.log'));
    link('elsewhere.log', '/nowhere/at/all.log');
    link('no-log', join(pods, 'ns_gone_u9/main/0.log'));
    writeFileSync(join(root, 'containers/file.log'), '');
    const { collector } = gc(['u1'], ['rotating']);
    await collector.collect();
    const left = [
      'mine_ns_main-live.log',
      'mine_ns_main-rotating.log',
      'mine_ns_main-dead.log',
      'gone_ns_main-x.log',
      'theirs_ns_main-x.log',
      'elsewhere.log',
      'no-log',
      'file.log',
    ].filter((name) => has('containers', name));
    expect(left).toEqual([
      'mine_ns_main-live.log',
      'mine_ns_main-rotating.log',
      'theirs_ns_main-x.log',
      'elsewhere.log',
      'no-log',
      'file.log',
    ]);
  });
});
