/** The folder with the programs of a real Kubernetes control plane: built once from Debian's source, never installed. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The version of Debian's package. It is old, and lacks many APIs that mendlet uses; that makes it a good test. */
export const VERSION = '1.20.2';
export const SUITE = 'bookworm';
export const PROGRAMS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;

export const kubernetesCache = join(resolve(import.meta.dirname, '..', '..'), '.cache', 'kubernetes');

/** Made by one rename when all is built: if it is there, it is whole. */
export const kubernetesBin = join(kubernetesCache, VERSION, 'bin');

export const isBuilt = (): boolean => existsSync(kubernetesBin);
