/** Tries an OCI runtime with a throwaway container, before containers depend on it. */
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Process } from '../../lib/index.ts';
import type { ContainerdVersion } from './containerd-config.ts';
import { ociVersionOf, probeBundle } from './oci-probe.ts';
import { staticInitPath } from './static-init.node.ts';

const PROBE_TIMEOUT_MS = 20_000;

/** `undefined` when `runtime` ran a container, else its own words why not. */
export async function ociMisfit(
  process: Process,
  runtime: string,
  containerd: ContainerdVersion,
): Promise<string | undefined> {
  const init = await staticInitPath();
  if (init === undefined) return 'there is no static program to try it with';
  const folder = await mkdtemp(join(tmpdir(), 'mendlet-probe-'));
  const id = basename(folder);
  const state = join(folder, 'state');
  try {
    for (const name of ['proc', 'dev']) await mkdir(join(folder, 'bundle', 'rootfs', name), { recursive: true });
    await copyFile(init.path, join(folder, 'bundle', 'rootfs', init.kind));
    const args = init.kind === 'catatonit' ? ['/catatonit', '--version'] : ['/busybox', 'true'];
    const config = probeBundle(ociVersionOf(containerd), args, `/${id}`);
    await writeFile(join(folder, 'bundle', 'config.json'), config);
    const run = ['--root', state, 'run', '--bundle', join(folder, 'bundle'), id];
    const { code, stderr } = await process.run(runtime, run, { timeoutMs: PROBE_TIMEOUT_MS });
    if (code === 0) return undefined;
    await process.run(runtime, ['--root', state, 'delete', '--force', id], { timeoutMs: PROBE_TIMEOUT_MS });
    return stderr.trim() || `it ended with ${code}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
