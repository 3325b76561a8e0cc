/** The manifests of examples/csi, as they are but for paths, and in variants of the driver. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
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

/** Nodes of one machine have different folders for drivers, which one DaemonSet cannot name: each gets its own. */
export function exampleDriverOf(
  nodes: readonly { readonly name: string; readonly kubeletDir: string }[],
  variant: Omit<Variant, 'kubeletDir'>,
): readonly object[] {
  const [first] = nodes;
  const documents = loadAll(exampleText('driver', { ...variant, kubeletDir: first?.kubeletDir ?? '' })) as Document[];
  return documents.flatMap((document) => {
    if (document.kind !== 'DaemonSet') return [document];
    return nodes.map(({ name, kubeletDir }) => {
      const text = JSON.stringify(document)
        .replaceAll(first?.kubeletDir ?? '', kubeletDir)
        .replaceAll('csi-example-node', `csi-example-node-${name}`);
      const own = JSON.parse(text) as DaemonSet;
      own.metadata.name = `node-${name}`;
      own.spec.template.spec.nodeSelector = { 'kubernetes.io/hostname': name };
      return own;
    });
  });
}

interface Document {
  readonly kind: string;
}

interface DaemonSet extends Document {
  readonly metadata: { name: string };
  readonly spec: { readonly template: { readonly spec: { nodeSelector?: object } } };
}
