/**
 * Generates `src/ROOM/gen` (JavaScript and types) from `src/ROOM/proto/*.proto` with buf and protoc-gen-es, both from
 * node_modules. The output is committed; tests generate again and compare.
 *
 *   node tools/proto/generate.ts
 */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..');
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

/** The rooms that speak gRPC. */
const ROOMS = ['cri', 'csi'] as const;

/** Runs buf over the room's .proto files into `folder`. Throws with buf's words. */
export function generate(room: (typeof ROOMS)[number], folder: string): void {
  const plugin = {
    local: [process.execPath, bin('protoc-gen-es')],
    out: folder,
    opt: ['target=js+dts', 'import_extension=js'],
  };
  const template = JSON.stringify({ version: 'v2', clean: true, plugins: [plugin] });
  const source = join(root, 'src', room, 'proto');
  const { status, stderr, error } = spawnSync(bin('buf'), ['generate', source, '--template', template], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`buf generate: ${error?.message ?? stderr}`);
}

if (import.meta.main) for (const room of ROOMS) generate(room, join(root, 'src', room, 'gen'));
