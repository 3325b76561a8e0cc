import { describe, expect, it } from 'vitest';
import { type DownOptions, type ExitCode, runCommandLine, type UpOptions } from './index.ts';

async function call(...args: string[]) {
  const said = { out: '', err: '' };
  const calls: { up?: UpOptions; down?: DownOptions } = {};
  const code = await runCommandLine(args, {
    versions: { mendlet: '1.2.3', kubernetes: 'v1.36.0+mendlet.1.2.3', node: '24.15.0' },
    up: async (options): Promise<ExitCode> => {
      calls.up = options;
      return 3;
    },
    down: async (options): Promise<ExitCode> => {
      calls.down = options;
      return 0;
    },
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
  });
  return { code, calls, ...said };
}

describe('runCommandLine', () => {
  it('gives up its defaults and returns its exit code', async () => {
    const { code, calls, out, err } = await call('up');
    expect({ code, out, err }).toEqual({ code: 3, out: '', err: '' });
    expect(calls.up).toEqual({
      filename: [],
      demo: false,
      runtime: { kind: 'auto' },
      imageArchive: [],
      logFormat: 'text',
      runtimeEvents: true,
    });
  });

  it('takes the mode of PLEG and its period', async () => {
    const { calls } = await call('up', '--pleg', 'evented', '--pleg-relist-period', '5m');
    expect(calls.up).toMatchObject({ pleg: 'evented', plegRelistPeriod: 300_000 });
  });

  it('collects repeated flags in order', async () => {
    const { calls } = await call('up', '-f', 'a.yaml', '-f', '-', '--image-archive', 'x', '--image-archive', 'y');
    expect(calls.up).toMatchObject({ filename: ['a.yaml', '-'], imageArchive: ['x', 'y'] });
  });

  it.each([
    [['up', '--lisen', ':1'], '--listen'],
    [['up', '--listen', 'x'], "'--listen <HOST:PORT>' argument 'x' is invalid. Give HOST:PORT"],
    [['up', '--pod-cidr', '10.0.0.1/8'], 'the network is 10.0.0.0/8'],
    [['up', '--node-name', 'A'], 'node name'],
    [['up', '--runtime', 'docker'], 'unix:///PATH'],
    [['up', '--log-format', 'xml'], 'text, json'],
    [['up', '--pleg', 'magic'], 'auto, generic, evented'],
    [['up', '--pleg-relist-period', '10'], 'for instance 10s'],
    [['up', '--pleg', 'generic', '--pleg-relist-period', '10s'], 'goes with events'],
    [['up', '--pleg', 'evented', '--no-runtime-events'], 'leave out --no-runtime-events'],
    [['up', '--demo', '--data-dir', '/x'], 'leave out --data-dir'],
    [['up', '--demo', '-f', 'x'], 'leave out -f'],
    [['up', '--demo-seconds', '3'], 'goes with --demo'],
    [['up', '-f', '-', '-f', '-'], 'only once'],
    [['up', 'extra'], 'too many arguments'],
    [['upp'], 'up'],
    [['down', '--prge'], '--purge'],
    [['server'], 'unknown command'],
  ])('refuses %j with one message and exit code 2', async (args, message) => {
    const { code, calls, out, err } = await call(...args);
    expect(err).toContain(message);
    expect({ code, calls, out }).toEqual({ code: 2, calls: {}, out: '' });
  });

  it.each([
    [['--help'], 'Exit codes'],
    [['up', '--help'], 'Examples'],
    [['help', 'up'], '--pod-cidr'],
    [['down', '-h'], '--purge'],
    [['version', '--help'], 'versions'],
    [['--version'], 'mendlet 1.2.3'],
    [['version'], 'mendlet 1.2.3\nkubernetes v1.36.0+mendlet.1.2.3\nnode 24.15.0\n'],
  ])('answers %j on standard output', async (args, text) => {
    const { code, out, err } = await call(...args);
    expect(out).toContain(text);
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  it('prints the help on standard error when there is no verb', async () => {
    const { code, out, err } = await call();
    expect(err).toContain('Commands:');
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});
