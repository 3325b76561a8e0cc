/** Variables by which a container finds the API server, in the order and the shape of upstream's service variables. Pure. */

/** KUBERNETES_SERVICE_HOST and its Docker-links companions. */
export function serviceEnvironment(apiServer: {
  readonly host: string;
  readonly port: number;
}): readonly { readonly name: string; readonly value: string }[] {
  const { host } = apiServer;
  const port = String(apiServer.port);
  const address = host.includes(':') ? `[${host}]` : host;
  const url = `tcp://${address}:${port}`;
  const link = `KUBERNETES_PORT_${port}_TCP`;
  return [
    { name: 'KUBERNETES_SERVICE_HOST', value: host },
    { name: 'KUBERNETES_SERVICE_PORT', value: port },
    { name: 'KUBERNETES_SERVICE_PORT_HTTPS', value: port },
    { name: 'KUBERNETES_PORT', value: url },
    { name: link, value: url },
    { name: `${link}_PROTO`, value: 'tcp' },
    { name: `${link}_PORT`, value: port },
    { name: `${link}_ADDR`, value: host },
  ];
}
