/** What a node answers that tried the way from a pod to a service (/mendlet/v1/path), for `mendlet doctor`. */

/** In the order of the way. */
export type PathStage = 'service' | 'routing' | 'DNS' | 'pod' | 'lookup' | 'connection' | 'endpoint';

export interface PathStep {
  readonly stage: PathStage;
  /** `skipped`: it is not there to be tried, or cannot be; nothing is wrong for that. */
  readonly result: 'ok' | 'broken' | 'skipped';
  readonly says: string;
  /** What would help; of a broken step alone. */
  readonly help?: string;
}

export interface ServicePath {
  readonly apiVersion: 'mendlet.dev/v1alpha1';
  readonly kind: 'ServicePath';
  readonly nodeName: string;
  readonly service: { readonly namespace: string; readonly name: string };
  /** The pod in whose network it was tried. Absent: in the node's own. */
  readonly pod?: { readonly namespace: string; readonly name: string };
  readonly steps: readonly PathStep[];
}
