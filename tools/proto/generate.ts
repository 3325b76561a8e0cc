/**
 * Generates `gen` (JavaScript and types) beside each folder `proto`, of rooms and of the tests' example driver, with buf and
 * protoc-gen-es, both from node_modules. The output is committed; tests generate again and compare.
 *
 *   node tools/proto/generate.ts
 */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..');
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

/** Those that speak gRPC → their folders. */
const SPEAKERS = { cri: 'src/cri', csi: 'src/csi', 'csi-example': 'test/support/csi-example' } as const;
type Speaker = keyof typeof SPEAKERS;

/** Runs buf over the speaker's .proto files into `folder`. Throws with buf's words. */
export function generate(speaker: Speaker, folder: string): void {
  const plugin = {
    local: [process.execPath, bin('protoc-gen-es')],
    out: folder,
    opt: ['target=js+dts', 'import_extension=js'],
  };
  const template = JSON.stringify({ version: 'v2', clean: true, plugins: [plugin] });
  const source = join(root, SPEAKERS[speaker], 'proto');
  const { status, stderr, error } = spawnSync(bin('buf'), ['generate', source, '--template', template], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`buf generate: ${error?.message ?? stderr}`);
}

if (import.meta.main) {
  const speakers = Object.keys(SPEAKERS) as Speaker[];
  for (const speaker of speakers) generate(speaker, join(root, SPEAKERS[speaker], 'gen'));
}
