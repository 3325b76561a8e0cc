/**
 * Resolves names as the machine is set up to (hosts file, servers and search list of resolv.conf), without the threads that
 * getaddrinfo blocks: a name server that hangs costs nobody else anything, and the lookup can be given up.
 */
import { Resolver } from 'node:dns/promises';
import { open } from 'node:fs/promises';

/** The addresses of a name; empty: there is none. Rejects when no server answered. */
export type NameLookup = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

const MAX_FILE_BYTES = 256 * 1024;
const MAX_SEARCH_DOMAINS = 6;
const SERVER_TIMEOUT_MS = 2000;
const TRIES = 2;
/** Codes that say that a name has no address. */
const NOT_THERE: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** @param files for tests */
export function createNameLookup(
  files: { readonly hosts: string; readonly resolvConf: string } = {
    hosts: '/etc/hosts',
    resolvConf: '/etc/resolv.conf',
  },
): NameLookup {
  return async (name, signal) => {
    const known = hostAddresses(await readText(files.hosts), name);
    if (known.length > 0) return known;
    const candidates = searchedNames(name, await readText(files.resolvConf));
    const resolver = new Resolver({ timeout: SERVER_TIMEOUT_MS, tries: TRIES });
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await firstFound(candidates, (candidate) => addressesOf(resolver, candidate), signal);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

/** The addresses of the first name that has any. A name that no server knows about does not keep the next one from being asked for. */
export async function firstFound(
  candidates: readonly string[],
  addresses: (name: string) => Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const problems: unknown[] = [];
  for (const candidate of candidates) {
    signal.throwIfAborted();
    const found = await addresses(candidate).catch((error: unknown) => {
      problems.push(error);
      return [];
    });
    if (found.length > 0) return found;
  }
  if (problems.length > 0) throw problems[0];
  return [];
}

async function addressesOf(resolver: Resolver, name: string): Promise<readonly string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0) return found;
  for (const answer of answers) {
    if (answer.status === 'rejected' && !NOT_THERE.has((answer.reason as { code?: string }).code ?? ''))
      throw answer.reason;
  }
  return [];
}

/** Addresses of a name in a hosts file. */
export function hostAddresses(text: string, name: string): readonly string[] {
  const wanted = name.toLowerCase().replace(/\.$/, '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/);
    return names.some((each) => each.toLowerCase() === wanted) ? [address] : [];
  });
}

/** The full names to try, in the order of resolv.conf(5). */
export function searchedNames(name: string, resolvConf: string): readonly string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const words = resolvConf.split('\n').map((line) => line.trim().split(/\s+/));
  const search = words.findLast(([key]) => key === 'search' || key === 'domain')?.slice(1) ?? [];
  const options = words.filter(([key]) => key === 'options').flat();
  const ndots = Number(/^ndots:(\d{1,2})$/.exec(options.findLast((each) => each.startsWith('ndots:')) ?? '')?.[1] ?? 1);
  const extended = search
    .slice(0, MAX_SEARCH_DOMAINS)
    .filter((domain) => domain !== '.')
    .map((domain) => `${name}.${domain.replace(/\.$/, '')}`);
  return name.split('.').length - 1 >= ndots ? [name, ...extended] : [...extended, name];
}

/** The text of a file, '' for one that cannot be read. */
async function readText(path: string): Promise<string> {
  try {
    await using file = await open(path, 'r');
    const buffer = Buffer.alloc(MAX_FILE_BYTES);
    const { bytesRead } = await file.read(buffer, 0, MAX_FILE_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  }
}
