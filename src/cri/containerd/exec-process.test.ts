import { describe, expect, it } from 'vitest';
import { execProcess } from './exec-process.ts';

const TYPE = 'types.containerd.io/opencontainers/runtime-spec/1';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const spec = (process: string): { typeUrl: string; value: Uint8Array } => ({
  typeUrl: `${TYPE}/Spec`,
  value: bytes(`{"ociVersion":"1.1.0","process":${process},"root":{}}`),
});
const made = (process: string, tty: boolean): string | undefined => {
  const found = execProcess(spec(process), { command: ['sh', '-c', 'ü'], tty });
  return found && new TextDecoder().decode(found.value);
};

describe('execProcess', () => {
  it('changes command and terminal alone', () => {
    const kept = {
      user: { uid: 7, gid: 8, additionalGroups: [9] },
      cwd: '/w',
      capabilities: { bounding: ['CAP_KILL'] },
    };
    const process = { ...kept, terminal: true, args: ['sleep'], commandLine: 'x', env: ['A=1'], noNewPrivileges: true };
    expect(JSON.parse(made(JSON.stringify(process), false) ?? '')).toEqual({
      ...kept,
      noNewPrivileges: true,
      env: ['A=1'],
      terminal: false,
      args: ['sh', '-c', 'ü'],
    });
    expect(execProcess(spec('{}'), { command: ['true'], tty: false })?.typeUrl).toBe(`${TYPE}/Process`);
  });

  it('keeps numbers that JavaScript would round', () => {
    const limits = '"rlimits":[{"type":"RLIMIT_NOFILE","hard":18446744073709551615,"soft":1024}]';
    expect(made(`{${limits}}`, false)).toContain(limits);
  });

  it.each([
    ['["A=1"]', ['A=1', 'TERM=xterm']],
    ['["TERM=vt100","A=1"]', ['TERM=xterm', 'A=1']],
    ['["TERMINAL=1"]', ['TERMINAL=1', 'TERM=xterm']],
    ['null', ['TERM=xterm']],
  ])('names the terminal in %s', (env, expected) => {
    expect(JSON.parse(made(`{"env":${env}}`, true) ?? '')).toMatchObject({ env: expected, terminal: true });
  });

  it.each([
    ['another type', 'example.com/Thing', '{"process":{}}'],
    ['no process', `${TYPE}/Spec`, '{}'],
    ['no object', `${TYPE}/Spec`, '[]'],
    ['no JSON', `${TYPE}/Spec`, '{'],
    ['no UTF-8', `${TYPE}/Spec`, undefined],
  ])('does not guess: %s', (_, typeUrl, text) => {
    const value = text === undefined ? new Uint8Array([0x22, 0xff, 0x22]) : bytes(text);
    expect(execProcess({ typeUrl, value }, { command: ['true'], tty: false })).toBeUndefined();
  });
});
