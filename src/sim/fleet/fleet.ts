/** A simulated fleet: the real control plane, and many hollow nodes in a few zones. */
import type { ControllersSettings } from '../../controllers/index.ts';
import type { KubeClient } from '../../client/index.ts';
import type { Connection, Logger } from '../../lib/index.ts';
import type { Life } from '../life.ts';
import { createSimConnection, type Link } from '../sim-connection.ts';
import { SimControlPlane } from '../sim-control-plane.ts';
import type { Sim } from '../sim.ts';
import { FleetFacts } from './fleet-facts.ts';
import { HollowNode } from './hollow-node.ts';
import { followStore, type StoredFleet } from './stored.ts';

/** The pods' network of the fleet: 254 pods a node. */
const NODE_IPAM = { clusterCidr: '10.244.0.0/16', nodeMaskSize: 24 } as const;

export interface FleetOptions {
  readonly sim: Sim;
  readonly nodes: number;
  readonly zones: number;
  readonly logger: Logger;
  readonly controllers?: Partial<ControllersSettings>;
  /** The nodes make volumes, and there is a class for them. */
  readonly hasVolumes?: boolean;
}

/** Of the fleet's volumes. */
export const VOLUME_CLASS = 'folders';

export class Fleet {
  readonly sim: Sim;
  readonly facts: FleetFacts;
  readonly controlPlane: SimControlPlane;
  readonly nodes: readonly HollowNode[];
  readonly admin: KubeClient;
  readonly stored: StoredFleet;

  constructor({ sim, nodes, zones, logger, controllers, hasVolumes = false }: FleetOptions) {
    this.sim = sim;
    this.facts = new FleetFacts(sim);
    this.controlPlane = new SimControlPlane(
      sim,
      logger,
      { nodeIpam: NODE_IPAM, ...controllers },
      hasVolumes ? (life) => ({ className: VOLUME_CLASS, connectionOf: this.#kubeletsFor(life) }) : undefined,
    );
    this.admin = this.controlPlane.adminClient('admin');
    this.stored = followStore(sim, this.controlPlane.store);
    this.nodes = Array.from({ length: nodes }, (_, i) => {
      const name = `node${i + 1}`;
      const user = { name: `system:node:${name}`, groups: ['system:nodes', 'system:authenticated'] };
      const server = this.controlPlane.as(user);
      const address = `192.0.${2 + Math.floor(i / 254)}.${1 + (i % 254)}`;
      const zone = `zone${i % zones}`;
      return new HollowNode({ sim, facts: this.facts, name, zone, address, server, logger, hasVolumes });
    });
  }

  /** The way from a process of the control plane to the kubelets: the node's own link, with its faults. */
  #kubeletsFor(life: Life): (name: string) => Connection | undefined {
    const random = this.sim.random.split(`kubelets of ${life.name}`);
    return (name) => {
      const node = this.nodes.find((each) => each.name === name);
      if (node === undefined) return undefined;
      const server = (): Connection | undefined => (node.isUp ? node.volumes.connection : undefined);
      return createSimConnection({ sim: this.sim, life, link: node.link, random, server });
    };
  }

  get links(): readonly Link[] {
    return this.nodes.map(({ link }) => link);
  }

  nodesOf(zone: string): readonly HollowNode[] {
    return this.nodes.filter((node) => node.zone === zone);
  }

  start(): void {
    this.controlPlane.start();
    for (const node of this.nodes) node.startAgent();
  }

  /** Ends all faults and starts everything that is down. */
  heal(): void {
    this.controlPlane.link.heal();
    this.controlPlane.startServer();
    this.controlPlane.startClient('controllers');
    this.controlPlane.startClient('scheduler');
    for (const node of this.nodes) {
      node.link.heal();
      node.network.refuses = false;
      node.startAgent();
    }
  }
}
