/** A certificate and its key, as they go together. */
import type { Pki } from '../apiserver/edge/pki.node.ts';

/** A certificate with its key, PEM. */
export type KeyPair = Pki['server'];
