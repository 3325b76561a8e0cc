/**
 * Keeps the program of a revision, bundled as users run it, so that `test/e2e/upgrade.e2e.test.ts` can start real pods with it
 * and hand them to the present program:
 *
 *   npm run upgrade:fixture -- [REVISION]        default: HEAD
 *
 * It is run with the last revision that landed, once the next one begins to differ in what it stores. The fixture is one file,
 * `test/upgrade/landed.json.br`: the revision, and the text of each bundled file.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { BUNDLED_FILES, FIXTURE, type LandedProgram } from '../../test/upgrade/landed-program.ts';

const root = resolve(import.meta.dirname, '..', '..');
const asked = process.argv[2] ?? 'HEAD';
const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const revision = git('rev-parse', '--verify', `${asked}^{commit}`);
const landedAt = git('show', '-s', '--format=%cs', revision);

const folder = mkdtempSync(join(tmpdir(), 'mendlet-fixture-'));
try {
  const checkout = join(folder, 'checkout');
  git('clone', '--quiet', '--no-checkout', '--shared', root, checkout);
  execFileSync('git', ['checkout', '--quiet', revision], { cwd: checkout });
  execFileSync('sh', ['tools/pack.sh'], { cwd: checkout, stdio: ['ignore', 'inherit', 'inherit'] });
  const files = Object.fromEntries(
    BUNDLED_FILES.map((name) => [name, readFileSync(join(checkout, 'dist', name), 'utf8')]),
  );
  const program: LandedProgram = { revision, landedAt, files };
  const text = Buffer.from(JSON.stringify(program));
  const packed = brotliCompressSync(text, {
    params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
  });
  writeFileSync(join(root, FIXTURE), packed);
  console.log(`${FIXTURE}: ${revision.slice(0, 12)} of ${landedAt}, ${Math.round(packed.length / 1024)} KiB`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
