/** Set-up before the suites on a real Kubernetes: the needs of the end-to-end tests, and a control plane's programs. */
import { join } from 'node:path';
import { systemProcess } from '../../src/lib/process.node.ts';
import { installMissing } from '../../tools/install-missing.ts';
import { kubernetesPrograms } from '../../tools/kubernetes/build.ts';
import setUpEndToEnd from '../e2e/global-set-up.ts';
import { root } from '../e2e/harness.ts';

export default async function setUp(): Promise<void> {
  if (process.getuid?.() !== 0) {
    throw new Error(
      'the tests on a real Kubernetes need root: containers, mounts, network (try: sudo npm run e2e:kubernetes)',
    );
  }
  await setUpEndToEnd();
  const say = (text: string): void => console.log(`set-up: ${text}`);
  const stop = new AbortController().signal;
  const logFile = join(root, '.cache/e2e/apt.log');
  await installMissing({ etcd: 'etcd-server' }, { process: systemProcess, say, stop, logFile });
  await kubernetesPrograms(say);
}
