/** What the containers of the example driver are told by their environment. */

function env(name: string, otherwise: string): string {
  return process.env[name] ?? otherwise;
}

export const settings = {
  /** The name of the driver, as CSIDriver and classes have it. */
  driver: env('DRIVER_NAME', 'example.csi.mendlet.dev'),
  node: env('NODE_NAME', 'node'),
  /** The driver's own socket. */
  socket: env('CSI_ADDRESS', '/csi/csi.sock'),
  /** Where volumes and snapshots are: all nodes must see the same folder there, unless each volume stays on its node. */
  dataDir: env('DATA_DIR', '/data'),
  /** Volumes must be attached to a node before it may stage them. */
  attaches: env('ATTACH', 'false') === 'true',
  /** Volumes belong to the node for which they are made. */
  staysOnNode: env('TOPOLOGY', 'false') === 'true',
  /** Per node; 0: no limit. */
  maxVolumes: Number(env('MAX_VOLUMES', '0')),
  /** What all volumes together may have, in bytes. */
  capacity: Number(env('CAPACITY', String(16 * 2 ** 30))),
  namespace: env('POD_NAMESPACE', 'default'),
  pod: env('POD_NAME', env('HOSTNAME', 'pod')),
} as const;

export const topologyKey = `topology.${settings.driver}/node`;

/** What a node is for its volumes. Empty: all nodes are alike. */
export function topologyOf(node: string): Record<string, string> {
  return settings.staysOnNode ? { [topologyKey]: node } : {};
}
