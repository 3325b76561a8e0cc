/**
 * The port to plugins that serve storage: how one registers (pluginregistration v1), and the node service of a driver (CSI v1).
 * Every call rejects with `CsiError` only. A plugin may be hostile: answers have a limit, and every call has a deadline.
 */

import { told } from './told.ts';

export type StringMap = Readonly<Record<string, string>>;

/** What a plugin says of itself at its registration socket. */
export interface PluginInfo {
  /** `CSIPlugin`; others are not for us. */
  readonly type: string;
  readonly name: string;
  /** The driver's own socket on this machine; empty: the registration socket is it. */
  readonly endpoint: string;
  readonly supportedVersions: readonly string[];
}

export interface Registrar {
  info(): Promise<PluginInfo>;
  /** @param error why it is not registered; undefined: it is */
  notify(error: string | undefined): Promise<void>;
  close(): void;
}

/** What a driver says of this node. */
export interface CsiNodeInfo {
  readonly nodeId: string;
  /** 0: the driver sets no limit. */
  readonly maxVolumes: number;
  readonly topology: StringMap;
}

/** The capabilities of a driver's node service that are known here. */
export type NodeCapability =
  | 'stage'
  | 'stats'
  | 'expand'
  | 'condition'
  /** It tells one writer on a node from several. */
  | 'single-node-multi-writer'
  /** It gives a volume's files to a group itself. */
  | 'mount-group';

export type AccessMode =
  | 'single-node-writer'
  | 'single-node-single-writer'
  | 'single-node-multi-writer'
  | 'multi-node-reader-only'
  | 'multi-node-multi-writer';

export interface VolumeCapability {
  readonly mode: AccessMode;
  /** Absent: a block device is wanted. */
  readonly mount?: { readonly fsType: string; readonly flags: readonly string[]; readonly group?: string };
}

export interface StageRequest {
  readonly handle: string;
  readonly stagingPath: string;
  readonly capability: VolumeCapability;
  readonly publishContext: StringMap;
  readonly volumeContext: StringMap;
  readonly secrets: StringMap;
}

export interface PublishRequest extends Omit<StageRequest, 'stagingPath'> {
  /** Empty: the driver does not stage. */
  readonly stagingPath: string;
  readonly targetPath: string;
  readonly readOnly: boolean;
}

/** Of a volume, as its driver says. */
export interface VolumeCondition {
  readonly isAbnormal: boolean;
  readonly message: string;
}

export interface VolumeStats {
  /** Absent: the driver does not say. */
  readonly bytes?: Usage;
  readonly inodes?: Usage;
  /** Absent: the driver does not say. */
  readonly condition?: VolumeCondition;
}

export interface Usage {
  readonly available: number;
  readonly total: number;
  readonly used: number;
}

export interface ExpandRequest {
  readonly handle: string;
  readonly volumePath: string;
  readonly stagingPath: string;
  readonly requiredBytes: number;
  readonly capability: VolumeCapability;
  readonly secrets: StringMap;
}

/** The node service of one driver. All calls may be repeated. */
export interface CsiDriver {
  info(): Promise<CsiNodeInfo>;
  capabilities(): Promise<ReadonlySet<NodeCapability>>;
  stage(request: StageRequest): Promise<void>;
  unstage(handle: string, stagingPath: string): Promise<void>;
  publish(request: PublishRequest): Promise<void>;
  unpublish(handle: string, targetPath: string): Promise<void>;
  stats(handle: string, volumePath: string, stagingPath: string): Promise<VolumeStats>;
  /** @returns the size in bytes afterwards; 0: the driver does not say */
  expand(request: ExpandRequest): Promise<number>;
  /** Calls under way fail. */
  close(): void;
}

/** Opens nothing yet: the first call connects. */
export interface CsiPlugins {
  registrar(socketPath: string): Registrar;
  driver(socketPath: string): CsiDriver;
  /** SHA-256 in hexadecimal: upstream's paths and names of attachments have it. */
  hash(text: string): string;
}

/** A failed call to a plugin. Its message is bounded, and harmless for a terminal. */
export class CsiError extends Error {
  override readonly name = 'CsiError';
  /** gRPC's name of the code: `DeadlineExceeded`, `NotFound` … */
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(told(message), options);
    this.code = code;
  }
}
