/** Gives each namespace the ConfigMap with the cluster's certificate authority. */
import { CONFIG_MAPS, NAMESPACES } from '../../api/index.ts';
import type { Informers } from '../../client/index.ts';
import { type Controller, source } from '../controller.ts';
import { ROOT_CA_CONFIG_MAP, reconcileRootCa } from './reconcile-root-ca.ts';

const OURS = { fieldSelector: `metadata.name=${ROOT_CA_CONFIG_MAP}` };

/** Keys are namespace names. */
export function rootCaController(informers: Informers, caCertificate: string): Controller {
  const namespaces = informers.lister(NAMESPACES);
  const configMaps = informers.lister(CONFIG_MAPS, OURS);
  return {
    name: 'root-ca-certificate-publisher',
    sources: [
      source(NAMESPACES, (change) => [change.key]),
      source(CONFIG_MAPS, ({ object }) => [object.metadata?.namespace ?? ''], OURS),
    ],
    reconcile: (key, context) =>
      context.perform(
        reconcileRootCa(namespaces.getByKey(key), configMaps.get(key, ROOT_CA_CONFIG_MAP), caCertificate),
      ),
  };
}
