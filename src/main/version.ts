/** The versions of mendlet, and of the Kubernetes API that it implements. */
import packageFile from '../../package.json' with { type: 'json' };

export const mendletVersion: string = packageFile.version;

/** The version that server and node report: kubectl and others read major and minor from it. */
export const kubernetesVersion = `v1.36.2+mendlet.${mendletVersion}`;
