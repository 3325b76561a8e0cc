/** Finds the Secret that containers have their certificate and key from. Pure. */
import type { Container, Pod } from '../../evidence/kinds.ts';

export interface CertificateMount {
  readonly secret: string;
  readonly mountPath: string;
}

/** Names of folders and Secrets with certificates. */
const TLS = /tls|cert|ssl|https|pki|x509/i;

/** The only Secret that is named after certificates, else the only one that they mount. */
export function certificateMount(
  { spec }: Pick<Pod, 'spec'>,
  containers: readonly Container[],
): CertificateMount | undefined {
  const mounts = containers.flatMap(({ volumeMounts = [] }) =>
    volumeMounts.flatMap(({ name, mountPath }) => {
      const secret = (spec?.volumes ?? []).find((each) => each.name === name)?.secret?.secretName;
      return secret === undefined ? [] : [{ secret, mountPath, volume: name }];
    }),
  );
  const meant = mounts.filter(({ secret, mountPath, volume }) => TLS.test(`${secret} ${mountPath} ${volume}`));
  const [first, ...more] = meant.length > 0 ? meant : mounts;
  if (first === undefined || more.some(({ secret }) => secret !== first.secret)) return undefined;
  return { secret: first.secret, mountPath: first.mountPath };
}
