/**
 * Generates `src/cri/gen` (JavaScript and types) from `src/cri/proto/*.proto` with buf and protoc-gen-es, both from
 * node_modules. The output is committed; a test generates again and compares.
 *
 *   node tools/proto/generate.ts [FOLDER]
 */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..');
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

/** Runs buf over our .proto files into `folder`. Throws with buf's words. */
export function generate(folder: string): void {
  const plugin = {
    local: [process.execPath, bin('protoc-gen-es')],
    out: folder,
    opt: ['target=js+dts', 'import_extension=js'],
  };
  const template = JSON.stringify({ version: 'v2', clean: true, plugins: [plugin] });
  const source = join(root, 'src', 'cri', 'proto');
  const { status, stderr, error } = spawnSync(bin('buf'), ['generate', source, '--template', template], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`buf generate: ${error?.message ?? stderr}`);
}

if (import.meta.main) generate(process.argv[2] ?? join(root, 'src', 'cri', 'gen'));
