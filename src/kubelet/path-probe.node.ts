/** Tries lookups and connections in the network of a pod: a child process enters it, does these alone, and ends. */
import { readlinkSync } from 'node:fs';
import { isIP } from 'node:net';
import { decodeText, type FileSystem, type Process } from '../lib/index.ts';
import type { PathOutcome, PathProbe, PathTry } from './ports.ts';

/** One try; `instead` has as much again. */
const TRY_MS = 2000;
/** The whole child, its start on a busy machine included. */
const CHILD_MS = 20_000;
const MAX_OUTPUT_BYTES = 64 * 1024;
const MAX_RESOLV_CONF_BYTES = 16 * 1024;
const RESOLV_CONF_MS = 2000;
/** A resolver takes no more (resolv.conf(5), MAXNS). */
const MAX_SERVERS = 3;
const MAX_REASON_CHARACTERS = 200;

export interface PathProbePorts {
  readonly process: Process;
  readonly fs: Pick<FileSystem, 'openFileBelow'>;
}

export function openPathProbe(ports: PathProbePorts): PathProbe {
  return {
    inOwnNetwork: (pids) => pids.find((pid) => networkOf(pid) !== undefined),
    nameServers: (pid) => nameServersOf(ports, pid),
    tryAll: (pid, tries, signal) => tryAll(ports, pid, tries, signal),
  };
}

/** Its name, "net:[4026532281]"; undefined: the process has ended, or shares ours. */
function networkOf(pid: number): string | undefined {
  try {
    const found = readlinkSync(`/proc/${pid}/ns/net`);
    return found === readlinkSync('/proc/self/ns/net') ? undefined : found;
  } catch {
    return undefined;
  }
}

/** The file is the pod's: no link is followed, and what is no file, or never ends, is left alone. */
async function nameServersOf({ fs }: PathProbePorts, pid: number): Promise<readonly string[] | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), RESOLV_CONF_MS);
  try {
    const text = await Promise.race([late.promise, readBelow(fs, `/proc/${pid}/root`, 'etc/resolv.conf')]);
    return text === undefined ? undefined : parseNameServers(text);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

async function readBelow(fs: PathProbePorts['fs'], folder: string, path: string): Promise<string | undefined> {
  const file = await fs.openFileBelow(folder, path);
  if (file === undefined) return undefined;
  try {
    return decodeText(await file.readAt(0, MAX_RESOLV_CONF_BYTES));
  } finally {
    await file.close();
  }
}

export function parseNameServers(text: string): readonly string[] {
  return text
    .split('\n')
    .flatMap((line) => /^\s*nameserver\s+(\S+)/.exec(line)?.[1] ?? [])
    .filter((server) => isIP(server) !== 0)
    .slice(0, MAX_SERVERS);
}

interface Job {
  /** The network in which it must find itself; a process that has ended may have left its number to another. */
  readonly network: string | undefined;
  readonly tries: readonly PathTry[];
  readonly tryMs: number;
}

async function tryAll(
  { process: programs }: PathProbePorts,
  pid: number | undefined,
  tries: readonly PathTry[],
  signal: AbortSignal | undefined,
): Promise<readonly PathOutcome[] | { readonly problem: string }> {
  if (tries.length === 0) return [];
  const network = pid === undefined ? undefined : networkOf(pid);
  if (pid !== undefined && network === undefined) return { problem: 'the pod has ended meanwhile' };
  const job: Job = { network, tries, tryMs: TRY_MS };
  const node = [process.execPath, '-e', `(${inChild.toString()})(${JSON.stringify(job)})`];
  const [file = '', ...args] = pid === undefined ? node : ['nsenter', `--net=/proc/${pid}/ns/net`, '--', ...node];
  const { code, stdout, stderr } = await programs.run(file, args, {
    timeoutMs: CHILD_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    env: { NODE_OPTIONS: '' },
    ...(signal && { signal }),
  });
  if (code === 127) return { problem: `${file} is not installed` };
  const outcomes = code === 0 ? parseOutcomes(stdout, tries.length) : undefined;
  if (outcomes !== undefined) return outcomes;
  const reason = stderr.trim().split('\n').at(-1)?.slice(0, MAX_REASON_CHARACTERS);
  return { problem: reason || `the try ended with code ${code}` };
}

function parseOutcomes(text: string, count: number): readonly PathOutcome[] | undefined {
  try {
    const found: unknown = JSON.parse(text);
    return Array.isArray(found) && found.length === count ? (found as PathOutcome[]) : undefined;
  } catch {
    return undefined;
  }
}

/** Runs in the child as text: it knows nothing beside its argument. */
function inChild({ network, tries, tryMs }: Job): void {
  const { connect } = process.getBuiltinModule('node:net');
  const { promises: dns } = process.getBuiltinModule('node:dns');
  const { readlinkSync: read } = process.getBuiltinModule('node:fs');
  if (network !== undefined && read('/proc/self/ns/net') !== network) {
    process.stderr.write('the pod has ended meanwhile\n');
    process.exit(1);
  }
  const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'EUNKNOWN';
  const lookUp = async (server: string, name: string): Promise<PathOutcome> => {
    // A packet may be lost: it is asked twice within the time.
    const resolver = new dns.Resolver({ timeout: tryMs / 2, tries: 2 });
    const timer = setTimeout(() => resolver.cancel(), tryMs);
    try {
      resolver.setServers([server.includes(':') ? `[${server}]` : server]);
      return { addresses: (await resolver.resolve4(name)).slice(0, 100) };
    } catch (error) {
      const code = codeOf(error);
      return { failure: code === 'ECANCELLED' ? 'ETIMEOUT' : code };
    } finally {
      clearTimeout(timer);
    }
  };
  const reach = (host: string, port: number): Promise<{ failure?: string }> =>
    new Promise((done) => {
      const socket = connect({ host, port });
      const end = (outcome: { failure?: string }): void => {
        clearTimeout(timer);
        socket.destroy();
        done(outcome);
      };
      const timer = setTimeout(() => end({ failure: 'ETIMEOUT' }), tryMs);
      socket.on('connect', () => end({}));
      socket.on('error', (error) => end({ failure: codeOf(error) }));
    });
  const tryOne = async (each: PathTry): Promise<PathOutcome> => {
    if (each.kind === 'lookup') return lookUp(each.server, each.name);
    const first = await reach(each.to.ip, each.to.port);
    if (first.failure === undefined || each.instead === undefined) return first;
    return { ...first, instead: await reach(each.instead.ip, each.instead.port) };
  };
  void Promise.all(tries.map(tryOne)).then((outcomes) => process.stdout.write(JSON.stringify(outcomes)));
}
