/** What objects of all kinds have. */
import type { ObjectMeta } from './types.gen.ts';

export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
}
