/** The manifests of examples/csi, as they are but for paths, and in variants of the driver. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../e2e/harness.ts';

export const NAMESPACE = 'csi-example';
export const DRIVER = 'example.csi.mendlet.dev';

export interface Variant {
  readonly kubeletDir: string;
  /** On the host: where volumes are. */
  readonly dataDir: string;
  /** The driver attaches volumes to nodes. */
  readonly attaches?: boolean;
  /** Each volume belongs to one node, and the driver tells how much room each node has. */
  readonly staysOnNode?: boolean;
}

/** The text of one file of examples/csi. */
export function exampleText(name: string, { kubeletDir, dataDir, attaches, staysOnNode }: Variant): string {
  let text = readFileSync(join(root, 'examples/csi', `${name}.yaml`), 'utf8')
    .replaceAll('/var/lib/kubelet', kubeletDir)
    .replaceAll('/var/lib/csi-example', dataDir);
  const put = (from: string, to: string): void => {
    if (name === 'driver' && !text.includes(from)) throw new Error(`driver.yaml has no ${from}`);
    text = text.replaceAll(from, to);
  };
  if (attaches === true) {
    put('attachRequired: false', 'attachRequired: true');
    put('{ name: ATTACH, value: "false" }', '{ name: ATTACH, value: "true" }');
  }
  if (staysOnNode === true) {
    put('podInfoOnMount: true', 'podInfoOnMount: true\n  storageCapacity: true');
    put('{ name: TOPOLOGY, value: "false" }', '{ name: TOPOLOGY, value: "true" }');
  }
  return text;
}
