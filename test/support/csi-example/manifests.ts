/** The manifests of examples/csi, as they are but for paths, and in variants of the driver. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { root, until } from '../../e2e/harness.ts';
import type { Lab } from '../lab.ts';

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
  /** What all volumes of a node together may have, in bytes. */
  readonly capacity?: number;
  /** How many volumes a node may have. */
  readonly maxVolumes?: number;
}

/** The text of one file of examples/csi. */
export function exampleText(name: string, variant: Variant): string {
  const { kubeletDir, dataDir, attaches, staysOnNode, capacity, maxVolumes } = variant;
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
  if (capacity !== undefined) put('name: CAPACITY, value: "17179869184"', `name: CAPACITY, value: "${capacity}"`);
  if (maxVolumes !== undefined) put('name: MAX_VOLUMES, value: "0"', `name: MAX_VOLUMES, value: "${maxVolumes}"`);
  return text;
}

/**
 * Installs the driver in a lab, and waits until each node has it. Nodes of one machine have different folders for drivers,
 * which one DaemonSet cannot name: each gets its own.
 */
export async function installInLab(lab: Lab, variant: Omit<Variant, 'kubeletDir' | 'dataDir'>): Promise<string> {
  const dataDir = join(lab.folder, 'csi-data');
  mkdirSync(dataDir, { recursive: true });
  const nodes = lab.nodes.map(({ name }) => ({ name, kubeletDir: labKubeletDir(lab, name) }));
  const text = exampleDriverOf(nodes, { ...variant, dataDir })
    .map((object) => JSON.stringify(object))
    .join('\n---\n');
  await lab.kubectl(['apply', '--server-side', '-f', '-'], text);
  for (const what of [...nodes.map(({ name }) => `daemonset/node-${name}`), 'deployment/controller'])
    await lab.kubectl(['-n', NAMESPACE, 'rollout', 'status', what, '--timeout=300s']);
  for (const { name } of nodes) {
    await until(`the driver on node ${name}`, async () => {
      // The object is made when the first driver registers.
      const driver = ['get', 'csinode', name, '-o', 'jsonpath={.spec.drivers[*].name}'];
      const { stdout, stderr } = await lab.tryKubectl(driver);
      return stdout === DRIVER ? { value: true } : { last: stdout + stderr };
    });
  }
  return dataDir;
}

/** The folder for drivers of a node of a lab. */
export const labKubeletDir = (lab: Lab, node: string): string => join(lab.folder, node, 'kubelet');

/** The objects of the driver on these nodes of one machine. */
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
