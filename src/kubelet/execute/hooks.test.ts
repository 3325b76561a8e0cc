import { describe, expect, it } from 'vitest';
import type { Container, LifecycleHandler } from '../../api/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { testPod } from '../plan/plan.fixtures.ts';
import type { ProbeAttempt } from '../ports.ts';
import { type HookContext, runHook } from './hooks.ts';

const container: Container = { name: 'main', ports: [{ name: 'web', containerPort: 8080 }] };

function world(answers: readonly ProbeAttempt[] = [{ result: 'success', output: '' }], outcome: number | Error = 0) {
  const clock = createManualClock();
  const asked: string[] = [];
  const told: string[] = [];
  const context = {
    ports: {
      clock,
      runtime: {
        execSync: async () => {
          if (outcome instanceof Error) throw outcome;
          return { exitCode: outcome, stdout: 'out', stderr: 'err-42' };
        },
      },
      probeTransport: {
        http: async (request: Parameters<HookContext['ports']['probeTransport']['http']>[0]) => {
          const headers = request.headers.map(({ name, value }) => `${name}=${value}`).join(' ');
          asked.push(`${request.scheme}://${request.host}:${request.port}${request.path} ${headers}`);
          return answers[asked.length - 1];
        },
      },
    },
    parts: {
      blackBox: { secretValues: async () => ['err-42'] },
      events: { pod: (_pod: unknown, _type: string, reason: string) => void told.push(reason), node: () => {} },
    },
  } as unknown as HookContext;
  const run = (hook: LifecycleHandler, signal = new AbortController().signal) =>
    runHook(context, hook, {
      pod: testPod(),
      containerId: 'c',
      podIp: '10.0.0.9',
      container,
      timeoutMs: 30_000,
      signal,
    });
  return { clock, asked, told, run };
}

const DEFAULTS = 'User-Agent=kube-lifecycle/1.36 Accept=*/*';

describe('httpGet', () => {
  it.each<[string, NonNullable<LifecycleHandler['httpGet']>, string]>([
    ['by number', { port: 80 }, `http://10.0.0.9:80/ ${DEFAULTS}`],
    ['by name', { port: 'web', path: '/x?y' }, `http://10.0.0.9:8080/x?y ${DEFAULTS}`],
    ['another host', { port: 1, host: 'h', scheme: 'HTTPS' }, `https://h:1/ ${DEFAULTS}`],
    ['headers', { port: 1, httpHeaders: [{ name: 'X', value: 'y' }] }, `http://10.0.0.9:1/ X=y ${DEFAULTS}`],
    [
      'own agent',
      {
        port: 1,
        httpHeaders: [
          { name: 'user-agent', value: 'me' },
          { name: 'Accept', value: '' },
        ],
      },
      'http://10.0.0.9:1/ user-agent=me',
    ],
  ])('%s', async (_name, httpGet, expected) => {
    const { asked, run } = world();
    expect(await run({ httpGet })).toBeUndefined();
    expect(asked).toEqual([expected]);
  });

  it.each<[string, ProbeAttempt, string | undefined]>([
    ['any answer is a good one', { result: 'failure', output: 'HTTP probe failed with statuscode: 500' }, undefined],
    ['none is not', { result: 'failure', output: 'Get: connection refused' }, 'Get: connection refused'],
  ])('%s', async (_name, answer, expected) => {
    expect(await world([answer]).run({ httpGet: { port: 1 } })).toBe(expected);
  });

  it('has no such port', async () => {
    expect(await world().run({ httpGet: { port: 'nope' } })).toBe('the container has no port "nope"');
  });

  it('asks a server for HTTP that speaks no TLS, without what is secret', async () => {
    const plain = { result: 'failure', output: 'Get "x": http: server gave HTTP response to HTTPS client' } as const;
    const { asked, told, run } = world([plain, { result: 'success', output: '' }]);
    const httpHeaders = [{ name: 'Authorization', value: 'secret' }];
    expect(await run({ httpGet: { port: 1, scheme: 'HTTPS', httpHeaders } })).toBeUndefined();
    expect(asked[1]).toBe(`http://10.0.0.9:1/ ${DEFAULTS}`);
    expect(told).toEqual(['LifecycleHTTPFallback']);
  });
});

describe('exec', () => {
  it('fails without the number of the attempt, which is another each time', async () => {
    const end = 'OCI runtime exec failed: exec failed: exec: "warm": executable file not found in $PATH: unknown';
    const text = `failed to exec in container: failed to start exec "${'0a'.repeat(32)}": ${end}`;
    const told = await world([], new Error(text)).run({ exec: { command: ['warm'] } });
    expect(told).toBe(`failed to exec in container: ${end}`);
  });

  it('succeeds with 0', async () => expect(await world().run({ exec: { command: ['x'] } })).toBeUndefined());
  it('fails with anything else', async () =>
    expect(await world([], 5).run({ exec: { command: ['x'] } })).toBe("command 'x' exited with 5: ***\nout"));
});

describe('sleep', () => {
  it('of no time ends at once', async () => {
    expect(await world().run({ sleep: { seconds: 0 } })).toBeUndefined();
  });

  it('lasts its time, or until it is cut short', async () => {
    const { clock, run } = world();
    const end = new AbortController();
    const ended: string[] = [];
    void run({ sleep: { seconds: 5 } }).then(() => ended.push('slept'));
    void run({ sleep: { seconds: 20 } }, end.signal).then(() => ended.push('cut'));
    await clock.advance(4999);
    expect(ended).toEqual([]);
    end.abort();
    await settle();
    expect(ended).toEqual(['cut']);
    await clock.advance(1);
    expect(ended).toEqual(['cut', 'slept']);
  });
});

it('tcpSocket fails, as upstream', async () => {
  expect(await world().run({ tcpSocket: { port: 1 } })).toBe('the hook has no handler that can be run');
});
