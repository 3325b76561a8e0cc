/**
 * The process of a command in a container, after the container's own: same user, environment, folder, capabilities, limits.
 * Pure. Both are the runtime-spec's JSON, as containerd keeps and takes it.
 */
import type { ExecRequest } from '../runtime.ts';

/** A container's spec or a process, in containerd's typed envelope. */
export interface TypedJson {
  readonly typeUrl: string;
  readonly value: Uint8Array;
}

const SPEC_TYPE = /^(.*\/opencontainers\/runtime-spec\/\d+)\/Spec$/;
const TERMINAL_VARIABLE = 'TERM=xterm';

interface Reviving {
  readonly source?: string;
}
/** In Node since 21, in TypeScript's library not yet. */
const json = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: Reviving) => unknown): unknown;
  rawJSON(text: string): unknown;
};

/**
 * The process for `command` as CRI makes it (containerd: execInContainer).
 * @param spec the container's, from `Containers.Get`
 * @returns `undefined` for a spec of an unknown kind
 */
export function execProcess(
  spec: TypedJson,
  { command, tty }: Pick<ExecRequest, 'command' | 'tty'>,
): TypedJson | undefined {
  const prefix = SPEC_TYPE.exec(spec.typeUrl)?.[1];
  if (prefix === undefined) return undefined;
  const process = processOf(spec.value);
  if (process === undefined) return undefined;
  const { commandLine: _, env, ...kept } = process;
  const variables = Array.isArray(env) ? env : [];
  const made = {
    ...kept,
    env: tty ? withTerminal(variables) : variables,
    terminal: tty,
    args: command,
  };
  return { typeUrl: `${prefix}/Process`, value: new TextEncoder().encode(JSON.stringify(made)) };
}

/** A limit without end is 2^64-1: numbers that JavaScript would round are kept as they are written. */
function processOf(value: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const spec = json.parse(new TextDecoder('utf-8', { fatal: true }).decode(value), (_, found, { source }) =>
      typeof found === 'number' && !Number.isSafeInteger(found) && source !== undefined ? json.rawJSON(source) : found,
    );
    return isObject(spec) && isObject(spec['process']) ? spec['process'] : undefined;
  } catch {
    return undefined;
  }
}

function withTerminal(env: readonly unknown[]): readonly unknown[] {
  const isTerminal = (each: unknown): boolean => typeof each === 'string' && each.startsWith('TERM=');
  if (!env.some(isTerminal)) return [...env, TERMINAL_VARIABLE];
  return env.map((each) => (isTerminal(each) ? TERMINAL_VARIABLE : each));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
