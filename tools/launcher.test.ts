/**
 * Tests ./mendlet and tools/set-up.sh in a checkout without other files, with fakes of node and npm. The end-to-end tests use the
 * real ones.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const repository = resolve(import.meta.dirname, '..');
let folder: string;
let checkout: string;
let bin: string;

/** A fake node that prints its version, bundles, or runs the bundle, by its first argument. */
const newNode = `#!/bin/sh
case $1 in
  -v) echo v24.15.0 ;;
  tools/bundle.ts) echo bundle >>"$CALLS"; sleep 0.2; mkdir -p dist; echo bundled >dist/mendlet.js ;;
  *) shift; echo "program $*" ;;
esac
`;
const oldNode = '#!/bin/sh\necho v20.20.2\n';
const npm = `#!/bin/sh
echo "npm $(basename "$PWD")" >>"$CALLS"
[ -z "$NPM_FAILS" ] || { echo "npm error $NPM_FAILS" >&2; exit 1; }
[ -z "$NPM_SKIPS" ] || [ "$1" != view ] || { echo "npm error $NPM_SKIPS" >&2; exit 1; }
[ -z "$NPM_SKIPS" ] || exit 0
if [ "$(basename "$PWD")" = node ]; then
  for arch in x64 arm64; do
    mkdir -p "node_modules/node-linux-$arch/bin"
    cp "$NEW_NODE" "node_modules/node-linux-$arch/bin/node"
  done
fi
mkdir -p node_modules
`;

function put(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mendlet-launcher-'));
  checkout = join(folder, 'checkout');
  bin = join(folder, 'bin');
  mkdirSync(join(checkout, 'tools'), { recursive: true });
  cpSync(join(repository, 'mendlet'), join(checkout, 'mendlet'));
  cpSync(join(repository, 'tools/set-up.sh'), join(checkout, 'tools/set-up.sh'));
  for (const file of [
    'tools/node/package-lock.json',
    'tools/bundle/package-lock.json',
    'tools/bundle.ts',
    'package.json',
    'src/a.ts',
  ]) {
    put(join(checkout, file), `${file}\n`);
  }
  put(join(bin, 'node'), oldNode, 0o755);
  put(join(bin, 'npm'), npm, 0o755);
  put(join(folder, 'new-node'), newNode, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  return {
    PATH: `${bin}:/usr/bin:/bin`,
    CALLS: join(folder, 'calls'),
    NEW_NODE: join(folder, 'new-node'),
    NPM_FAILS: '',
    NPM_SKIPS: '',
    ...more,
  };
}

function start(args: readonly string[] = [], env: Record<string, string> = {}, path = join(checkout, 'mendlet')) {
  const { status, stdout, stderr } = spawnSync('sh', [path, ...args], {
    encoding: 'utf8',
    cwd: '/',
    env: environment(env),
  });
  return { status, stdout, stderr };
}

function calls(): readonly string[] {
  const file = join(folder, 'calls');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

describe('./mendlet', () => {
  it("sets up once: Node, libraries, bundle; standard output is the program's", () => {
    const first = start(['up', '--demo', 'a b']);
    expect(first).toMatchObject({ status: 0, stdout: 'program up --demo a b\n' });
    expect(first.stderr).toContain('fetching Node.js 24 into tools/node (24.15 or newer is needed, here is v20.20.2)');
    expect(first.stderr).toContain('bundling');
    expect(start(['again'])).toEqual({ status: 0, stdout: 'program again\n', stderr: '' });
    expect(calls()).toEqual(['npm node', 'npm bundle', 'bundle']);
  });

  it('fetches no Node where the present one fits', () => {
    put(join(bin, 'node'), newNode, 0o755);
    expect(start().status).toBe(0);
    expect(calls()).toEqual(['npm bundle', 'bundle']);
  });

  it('bundles again after any change of the sources, but not of tests', () => {
    start();
    put(join(checkout, 'src/a.test.ts'), 'x');
    start();
    expect(calls()).toHaveLength(3);
    put(join(checkout, 'src/a.ts'), 'changed');
    start();
    rmSync(join(checkout, 'src/a.ts'));
    put(join(checkout, 'src/b.ts'), 'changed');
    start();
    expect(calls().slice(3)).toEqual(['bundle', 'bundle']);
  });

  it('fetches again what a lock says anew', () => {
    start();
    put(join(checkout, 'tools/bundle/package-lock.json'), 'changed');
    start();
    expect(calls().slice(3)).toEqual(['npm bundle', 'bundle']);
  });

  it('starts through a link', () => {
    symlinkSync(join(checkout, 'mendlet'), join(bin, 'mendlet'));
    expect(start(['x'], {}, join(bin, 'mendlet')).stdout).toBe('program x\n');
  });

  it('goes on with set-up after a failure', () => {
    const failed = start([], { NPM_FAILS: 'code ENOTFOUND registry' });
    expect(failed).toMatchObject({ status: 1, stdout: '' });
    expect(failed.stderr).toContain('npm error code ENOTFOUND registry');
    expect(failed.stderr).toContain('the npm registry cannot be reached');
    expect(failed.stderr).toContain('the whole log is in');
    expect(start().status).toBe(0);
  });

  it('tells why when npm leaves out the Node.js that it could not fetch, as it does with optional packages', () => {
    const failed = start([], { NPM_SKIPS: 'code ECONNREFUSED' });
    expect(failed).toMatchObject({ status: 1, stdout: '' });
    expect(failed.stderr).toContain('the npm registry cannot be reached');
    expect(start().status).toBe(0);
  });

  it.each([
    ['npm', 'npm is needed for the first start'],
    ['node', 'Node.js 18 or newer is needed'],
  ])('says what to install without %s', (program, message) => {
    // A PATH of links, so that the machine's own node and npm are not on it.
    const few = join(folder, 'few');
    mkdirSync(few);
    for (const name of [
      'sh',
      'cat',
      'cut',
      'dirname',
      'basename',
      'find',
      'grep',
      'ln',
      'mkdir',
      'mv',
      'readlink',
      'rm',
      'sed',
      'sha256sum',
      'sort',
      'tail',
      'uname',
      'xargs',
      'cp',
      'sleep',
    ]) {
      symlinkSync(`/usr/bin/${name}`, join(few, name));
    }
    rmSync(join(bin, program));
    const result = start([], { PATH: `${bin}:${few}` });
    expect(result).toMatchObject({ status: 1, stdout: '' });
    expect(result.stderr).toContain(message);
  });

  it('says when it is no complete checkout', () => {
    rmSync(join(checkout, 'tools/set-up.sh'));
    expect(start()).toMatchObject({ status: 1, stderr: expect.stringContaining('no complete checkout') });
  });

  it('sets up once for several first starts at the same time', async () => {
    const runs = Array.from({ length: 4 }, (_, index) => {
      const child = spawn('sh', [join(checkout, 'mendlet'), String(index)], { env: environment() });
      let out = '';
      child.stdout.on('data', (chunk: Buffer) => {
        out += chunk.toString();
      });
      return new Promise<string>((done) => child.on('close', (code) => done(`${code} ${out}`)));
    });
    expect(await Promise.all(runs)).toEqual([0, 1, 2, 3].map((index) => `0 program ${index}\n`));
    expect(calls()).toEqual(['npm node', 'npm bundle', 'bundle']);
  });

  it('takes over from a set-up that was killed, also when its pid lives on as something else', () => {
    mkdirSync(join(checkout, '.cache/set-up'), { recursive: true });
    symlinkSync('999999999:1', join(checkout, '.cache/set-up/lock'));
    expect(start().status).toBe(0);
    rmSync(join(checkout, 'dist'), { recursive: true });
    symlinkSync(`${process.pid}:1`, join(checkout, '.cache/set-up/lock'));
    expect(start().status).toBe(0);
    expect(existsSync(join(checkout, '.cache/set-up/lock'))).toBe(false);
  });
});
