/** Finds the file of a ConfigMap or Secret from which a container has the authorities that it trusts. Pure. */
import { type ConfigFile, configMounts, fileAt } from '../configs/config-files.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { filesOf } from './mounted-files.ts';
import { configsBehind } from './mounts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

/** "ca.crt", "ca-bundle.pem", "truststore.jks", "root.pem": not the certificate that the container shows itself. */
const OF_AUTHORITIES = /(?:^|[/_.-])(?:ca|cacerts?|root|trust\w*|bundle|authorit\w+)(?:[/_.-]|$)/i;
const IS_CERTIFICATE = /\.(?:crt|pem|cer|jks|p12|pfx)$|^cacerts$/i;

/** "; it trusts what is in /ca/ca.crt (ConfigMap shop-ca)"; empty: no such file, or several. */
export function trustedText(facts: PodFacts, container: ContainerFacts): string {
  const all = configMounts(facts, container).flatMap((mounted): readonly ConfigFile[] => {
    const root = mounted.mountPath.replace(/\/+$/, '');
    const paths =
      mounted.subPath === undefined ? (filesOf(facts, mounted) ?? []).map(({ path }) => `${root}/${path}`) : [root];
    return paths
      .filter((file) => IS_CERTIFICATE.test(file) && OF_AUTHORITIES.test(file))
      .map((file) => fileAt(facts, mounted, file));
  });
  const [only, ...more] = all;
  const [config] = only === undefined ? [] : configsBehind(only.mounted);
  if (only === undefined || config === undefined || more.length > 0) return '';
  return `; it trusts what is in ${only.file} (${config.kind} ${config.name})`;
}
