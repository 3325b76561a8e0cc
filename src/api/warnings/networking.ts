/** Warnings about networking objects on which nothing of mendlet acts. Pure. */

/** A policy that looks as if it protects something must say that it does not. */
export function networkPolicyWarnings(): string[] {
  return [
    'mendlet enforces no NetworkPolicies: this one is stored, and traffic that it forbids goes through unless a network plugin of the nodes enforces it',
  ];
}

export function ingressWarnings(): string[] {
  return [
    'mendlet has no ingress controller: this Ingress is stored, and nothing answers for it unless an ingress controller runs in the cluster',
  ];
}
