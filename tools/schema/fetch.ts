/**
 * Fetches Debian packages of another suite with an apt configuration of its own, made from this machine's apt source
 * (same host and keyring), and unpacks them. Touches nothing of the system: no root, no installation.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FetchedPackage {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
  /** The folder for the unpacked source. */
  readonly root: string;
}

/** The first Debian (non-security) source of this machine: deb822 files first, then one-line ones. */
function machineSource(): { readonly uri: string; readonly signedBy: string | undefined } {
  const folder = '/etc/apt/sources.list.d';
  const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  for (const file of files.filter((name) => name.endsWith('.sources'))) {
    for (const stanza of readFileSync(file, 'utf8').split(/\n\s*\n/)) {
      const uri = /^URIs:\s*(\S+\/debian\/?)\s*$/m.exec(stanza)?.[1];
      if (uri !== undefined) return { uri, signedBy: /^Signed-By:\s*(\S+)/m.exec(stanza)?.[1] };
    }
  }
  for (const file of ['/etc/apt/sources.list', ...files.filter((name) => name.endsWith('.list'))]) {
    if (!existsSync(file)) continue;
    const line = /^deb\s+(?:\[[^\]]*\]\s*)?(\S+\/debian\/?)\s/m.exec(readFileSync(file, 'utf8'));
    if (line?.[1] !== undefined) return { uri: line[1], signedBy: undefined };
  }
  throw new Error('no Debian source found in /etc/apt');
}

/** Downloads and unpacks `names` from `suite` under `cache`; every call looks for the newest versions. */
export function fetchPackages(names: readonly string[], suite: string, cache: string): FetchedPackage[] {
  const source = machineSource();
  const apt = join(cache, 'apt');
  for (const dir of ['state/lists/partial', 'cache/archives/partial', 'etc', 'deb'])
    mkdirSync(join(apt, dir), { recursive: true });
  const signedBy = source.signedBy ?? '/usr/share/keyrings/debian-archive-keyring.gpg';
  writeFileSync(join(apt, 'etc/sources.list'), `deb [signed-by=${signedBy}] ${source.uri} ${suite} main\n`);
  writeFileSync(join(apt, 'status'), '');
  const options = [
    `Dir::State=${join(apt, 'state')}`,
    `Dir::State::status=${join(apt, 'status')}`,
    `Dir::Cache=${join(apt, 'cache')}`,
    `Dir::Etc::sourcelist=${join(apt, 'etc/sources.list')}`,
    'Dir::Etc::sourceparts=/dev/null',
    'Dir::Etc::preferencesparts=/dev/null',
    'Acquire::Languages=none',
    'APT::Sandbox::User=',
    'APT::Update::Post-Invoke=',
  ].flatMap((option) => ['-o', option]);
  execFileSync('apt-get', [...options, 'update', '-q'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const deb = join(apt, 'deb');
  rmSync(deb, { recursive: true });
  mkdirSync(deb);
  execFileSync('apt-get', [...options, 'download', '-q', ...names], {
    cwd: deb,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return names.map((name) => unpack(name, deb, cache));
}

function unpack(name: string, folder: string, cache: string): FetchedPackage {
  const file = readdirSync(folder).find((entry) => entry.startsWith(`${name}_`));
  if (file === undefined) throw new Error(`apt-get download left no file for ${name}`);
  const path = join(folder, file);
  const version = execFileSync('dpkg-deb', ['-f', path, 'Version'], { encoding: 'utf8' }).trim();
  const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
  const root = join(cache, 'unpacked', name);
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  execFileSync('dpkg-deb', ['-x', path, root]);
  return { name, version, sha256, root };
}
