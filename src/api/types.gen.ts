/* Printed from schema/schema.json by tools/schema/print-types.ts; do not edit. */

/** A decimal number with a suffix, canonical once stored ("100m", "1Gi"). Requests may carry a bare number. */
export type Quantity = string;
export type IntOrString = number | string;
/** RFC 3339, whole seconds. */
export type Time = string;
/** RFC 3339, microseconds. */
export type MicroTime = string;
/** Go's notation ("1m30s"). */
export type Duration = string;
export type Base64 = string;

/** admission.v1.AdmissionRequest */
export interface AdmissionRequest {
  uid?: string;
  kind?: GroupVersionKind;
  resource?: GroupVersionResource;
  subResource?: string;
  requestKind?: GroupVersionKind;
  requestResource?: GroupVersionResource;
  requestSubResource?: string;
  name?: string;
  namespace?: string;
  operation?: string;
  userInfo?: UserInfo;
  object?: unknown;
  oldObject?: unknown;
  dryRun?: boolean;
  options?: unknown;
}

/** admission.v1.AdmissionResponse */
export interface AdmissionResponse {
  uid?: string;
  allowed?: boolean;
  status?: Status;
  patch?: Base64;
  patchType?: string;
  auditAnnotations?: Record<string, string>;
  warnings?: string[];
}

/** admission.v1.AdmissionReview */
export interface AdmissionReview {
  kind?: string;
  apiVersion?: string;
  request?: AdmissionRequest;
  response?: AdmissionResponse;
}

/** admissionregistration.v1.ApplyConfiguration */
export interface ApplyConfiguration {
  expression?: string;
}

/** admissionregistration.v1.AuditAnnotation */
export interface AuditAnnotation {
  key: string;
  valueExpression: string;
}

/** admissionregistration.v1.ExpressionWarning */
export interface ExpressionWarning {
  fieldRef: string;
  warning: string;
}

/** admissionregistration.v1.JSONPatch */
export interface JSONPatch {
  expression?: string;
}

/** admissionregistration.v1.MatchCondition */
export interface MatchCondition {
  name: string;
  expression: string;
}

/** admissionregistration.v1.MatchResources */
export interface MatchResources {
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  resourceRules?: NamedRuleWithOperations[];
  excludeResourceRules?: NamedRuleWithOperations[];
  matchPolicy?: string;
}

/** admissionregistration.v1.MutatingAdmissionPolicy */
export interface MutatingAdmissionPolicy {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: MutatingAdmissionPolicySpec;
}

/** admissionregistration.v1.MutatingAdmissionPolicyBinding */
export interface MutatingAdmissionPolicyBinding {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: MutatingAdmissionPolicyBindingSpec;
}

/** admissionregistration.v1.MutatingAdmissionPolicyBindingList */
export interface MutatingAdmissionPolicyBindingList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: MutatingAdmissionPolicyBinding[];
}

/** admissionregistration.v1.MutatingAdmissionPolicyBindingSpec */
export interface MutatingAdmissionPolicyBindingSpec {
  policyName?: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
}

/** admissionregistration.v1.MutatingAdmissionPolicyList */
export interface MutatingAdmissionPolicyList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: MutatingAdmissionPolicy[];
}

/** admissionregistration.v1.MutatingAdmissionPolicySpec */
export interface MutatingAdmissionPolicySpec {
  paramKind?: ParamKind;
  matchConstraints?: MatchResources;
  variables?: Variable[];
  mutations?: Mutation[];
  failurePolicy?: string;
  matchConditions?: MatchCondition[];
  reinvocationPolicy?: string;
}

/** admissionregistration.v1.MutatingWebhook */
export interface MutatingWebhook {
  name: string;
  clientConfig: WebhookClientConfig;
  rules?: RuleWithOperations[];
  failurePolicy?: string;
  matchPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  sideEffects: string;
  timeoutSeconds?: number;
  admissionReviewVersions: string[];
  reinvocationPolicy?: string;
  matchConditions?: MatchCondition[];
}

/** admissionregistration.v1.MutatingWebhookConfiguration */
export interface MutatingWebhookConfiguration {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  webhooks?: MutatingWebhook[];
}

/** admissionregistration.v1.MutatingWebhookConfigurationList */
export interface MutatingWebhookConfigurationList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: MutatingWebhookConfiguration[];
}

/** admissionregistration.v1.Mutation */
export interface Mutation {
  patchType: string;
  applyConfiguration?: ApplyConfiguration;
  jsonPatch?: JSONPatch;
}

/** admissionregistration.v1.NamedRuleWithOperations */
export interface NamedRuleWithOperations {
  resourceNames?: string[];
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: string;
}

/** admissionregistration.v1.ParamKind */
export interface ParamKind {
  apiVersion?: string;
  kind?: string;
}

/** admissionregistration.v1.ParamRef */
export interface ParamRef {
  name?: string;
  namespace?: string;
  selector?: LabelSelector;
  parameterNotFoundAction?: string;
}

/** admissionregistration.v1.RuleWithOperations */
export interface RuleWithOperations {
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: string;
}

/** admissionregistration.v1.ServiceReference */
export interface ServiceReference {
  namespace: string;
  name: string;
  path?: string;
  port?: number;
}

/** admissionregistration.v1.TypeChecking */
export interface TypeChecking {
  expressionWarnings?: ExpressionWarning[];
}

/** admissionregistration.v1.ValidatingAdmissionPolicy */
export interface ValidatingAdmissionPolicy {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: ValidatingAdmissionPolicySpec;
  status?: ValidatingAdmissionPolicyStatus;
}

/** admissionregistration.v1.ValidatingAdmissionPolicyBinding */
export interface ValidatingAdmissionPolicyBinding {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: ValidatingAdmissionPolicyBindingSpec;
}

/** admissionregistration.v1.ValidatingAdmissionPolicyBindingList */
export interface ValidatingAdmissionPolicyBindingList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ValidatingAdmissionPolicyBinding[];
}

/** admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec */
export interface ValidatingAdmissionPolicyBindingSpec {
  policyName?: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
  validationActions?: string[];
}

/** admissionregistration.v1.ValidatingAdmissionPolicyList */
export interface ValidatingAdmissionPolicyList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ValidatingAdmissionPolicy[];
}

/** admissionregistration.v1.ValidatingAdmissionPolicySpec */
export interface ValidatingAdmissionPolicySpec {
  paramKind?: ParamKind;
  matchConstraints?: MatchResources;
  validations?: Validation[];
  failurePolicy?: string;
  auditAnnotations?: AuditAnnotation[];
  matchConditions?: MatchCondition[];
  variables?: Variable[];
}

/** admissionregistration.v1.ValidatingAdmissionPolicyStatus */
export interface ValidatingAdmissionPolicyStatus {
  observedGeneration?: number;
  typeChecking?: TypeChecking;
  conditions?: Condition[];
}

/** admissionregistration.v1.ValidatingWebhook */
export interface ValidatingWebhook {
  name: string;
  clientConfig: WebhookClientConfig;
  rules?: RuleWithOperations[];
  failurePolicy?: string;
  matchPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  sideEffects: string;
  timeoutSeconds?: number;
  admissionReviewVersions: string[];
  matchConditions?: MatchCondition[];
}

/** admissionregistration.v1.ValidatingWebhookConfiguration */
export interface ValidatingWebhookConfiguration {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  webhooks?: ValidatingWebhook[];
}

/** admissionregistration.v1.ValidatingWebhookConfigurationList */
export interface ValidatingWebhookConfigurationList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ValidatingWebhookConfiguration[];
}

/** admissionregistration.v1.Validation */
export interface Validation {
  expression: string;
  message?: string;
  reason?: string;
  messageExpression?: string;
}

/** admissionregistration.v1.Variable */
export interface Variable {
  name: string;
  expression: string;
}

/** admissionregistration.v1.WebhookClientConfig */
export interface WebhookClientConfig {
  url?: string;
  service?: ServiceReference;
  caBundle?: Base64;
}

/** apidiscovery.v2.APIGroupDiscovery */
export interface APIGroupDiscovery {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  versions?: APIVersionDiscovery[];
}

/** apidiscovery.v2.APIGroupDiscoveryList */
export interface APIGroupDiscoveryList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: APIGroupDiscovery[];
}

/** apidiscovery.v2.APIResourceDiscovery */
export interface APIResourceDiscovery {
  resource: string;
  responseKind?: GroupVersionKind;
  scope: string;
  singularResource: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: APISubresourceDiscovery[];
}

/** apidiscovery.v2.APISubresourceDiscovery */
export interface APISubresourceDiscovery {
  subresource: string;
  responseKind?: GroupVersionKind;
  acceptedTypes?: GroupVersionKind[];
  verbs: string[];
}

/** apidiscovery.v2.APIVersionDiscovery */
export interface APIVersionDiscovery {
  version: string;
  resources?: APIResourceDiscovery[];
  freshness?: string;
}

/** apps.v1.ControllerRevision */
export interface ControllerRevision {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  data?: unknown;
  revision: number;
}

/** apps.v1.ControllerRevisionList */
export interface ControllerRevisionList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ControllerRevision[];
}

/** apps.v1.DaemonSet */
export interface DaemonSet {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: DaemonSetSpec;
  status?: DaemonSetStatus;
}

/** apps.v1.DaemonSetCondition */
export interface DaemonSetCondition {
  type: string;
  status: string;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

/** apps.v1.DaemonSetList */
export interface DaemonSetList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: DaemonSet[];
}

/** apps.v1.DaemonSetSpec */
export interface DaemonSetSpec {
  selector: LabelSelector;
  template: PodTemplateSpec;
  updateStrategy?: DaemonSetUpdateStrategy;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
}

/** apps.v1.DaemonSetStatus */
export interface DaemonSetStatus {
  currentNumberScheduled: number;
  numberMisscheduled: number;
  desiredNumberScheduled: number;
  numberReady: number;
  observedGeneration?: number;
  updatedNumberScheduled?: number;
  numberAvailable?: number;
  numberUnavailable?: number;
  collisionCount?: number;
  conditions?: DaemonSetCondition[];
}

/** apps.v1.DaemonSetUpdateStrategy */
export interface DaemonSetUpdateStrategy {
  type?: string;
  rollingUpdate?: RollingUpdateDaemonSet;
}

/** apps.v1.Deployment */
export interface Deployment {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: DeploymentSpec;
  status?: DeploymentStatus;
}

/** apps.v1.DeploymentCondition */
export interface DeploymentCondition {
  type: string;
  status: string;
  lastUpdateTime?: Time | null;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

/** apps.v1.DeploymentList */
export interface DeploymentList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Deployment[];
}

/** apps.v1.DeploymentSpec */
export interface DeploymentSpec {
  replicas?: number;
  selector: LabelSelector;
  template: PodTemplateSpec;
  strategy?: DeploymentStrategy;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  paused?: boolean;
  progressDeadlineSeconds?: number;
}

/** apps.v1.DeploymentStatus */
export interface DeploymentStatus {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  terminatingReplicas?: number;
  conditions?: DeploymentCondition[];
  collisionCount?: number;
}

/** apps.v1.DeploymentStrategy */
export interface DeploymentStrategy {
  type?: string;
  rollingUpdate?: RollingUpdateDeployment;
}

/** apps.v1.ReplicaSet */
export interface ReplicaSet {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: ReplicaSetSpec;
  status?: ReplicaSetStatus;
}

/** apps.v1.ReplicaSetCondition */
export interface ReplicaSetCondition {
  type: string;
  status: string;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

/** apps.v1.ReplicaSetList */
export interface ReplicaSetList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ReplicaSet[];
}

/** apps.v1.ReplicaSetSpec */
export interface ReplicaSetSpec {
  replicas?: number;
  minReadySeconds?: number;
  selector: LabelSelector;
  template?: PodTemplateSpec;
}

/** apps.v1.ReplicaSetStatus */
export interface ReplicaSetStatus {
  replicas: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  terminatingReplicas?: number;
  observedGeneration?: number;
  conditions?: ReplicaSetCondition[];
}

/** apps.v1.RollingUpdateDaemonSet */
export interface RollingUpdateDaemonSet {
  maxUnavailable?: IntOrString;
  maxSurge?: IntOrString;
}

/** apps.v1.RollingUpdateDeployment */
export interface RollingUpdateDeployment {
  maxUnavailable?: IntOrString;
  maxSurge?: IntOrString;
}

/** apps.v1.RollingUpdateStatefulSetStrategy */
export interface RollingUpdateStatefulSetStrategy {
  partition?: number;
  maxUnavailable?: IntOrString;
}

/** apps.v1.StatefulSet */
export interface StatefulSet {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: StatefulSetSpec;
  status?: StatefulSetStatus;
}

/** apps.v1.StatefulSetCondition */
export interface StatefulSetCondition {
  type: string;
  status: string;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

/** apps.v1.StatefulSetList */
export interface StatefulSetList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: StatefulSet[];
}

/** apps.v1.StatefulSetOrdinals */
export interface StatefulSetOrdinals {
  start?: number;
}

/** apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy */
export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  whenDeleted?: string;
  whenScaled?: string;
}

/** apps.v1.StatefulSetSpec */
export interface StatefulSetSpec {
  replicas?: number;
  selector: LabelSelector;
  template: PodTemplateSpec;
  volumeClaimTemplates?: PersistentVolumeClaim[];
  serviceName?: string;
  podManagementPolicy?: string;
  updateStrategy?: StatefulSetUpdateStrategy;
  revisionHistoryLimit?: number;
  minReadySeconds?: number;
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  ordinals?: StatefulSetOrdinals;
}

/** apps.v1.StatefulSetStatus */
export interface StatefulSetStatus {
  observedGeneration?: number;
  replicas: number;
  readyReplicas?: number;
  currentReplicas?: number;
  updatedReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  collisionCount?: number;
  conditions?: StatefulSetCondition[];
  availableReplicas?: number;
}

/** apps.v1.StatefulSetUpdateStrategy */
export interface StatefulSetUpdateStrategy {
  type?: string;
  rollingUpdate?: RollingUpdateStatefulSetStrategy;
}

/** authentication.v1.BoundObjectReference */
export interface BoundObjectReference {
  kind?: string;
  apiVersion?: string;
  name?: string;
  uid?: string;
}

/** authentication.v1.SelfSubjectReview */
export interface SelfSubjectReview {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  status?: SelfSubjectReviewStatus;
}

/** authentication.v1.SelfSubjectReviewStatus */
export interface SelfSubjectReviewStatus {
  userInfo?: UserInfo;
}

/** authentication.v1.TokenRequest */
export interface TokenRequest {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: TokenRequestSpec;
  status?: TokenRequestStatus;
}

/** authentication.v1.TokenRequestSpec */
export interface TokenRequestSpec {
  audiences?: string[] | null;
  expirationSeconds?: number | null;
  boundObjectRef?: BoundObjectReference | null;
}

/** authentication.v1.TokenRequestStatus */
export interface TokenRequestStatus {
  token?: string;
  expirationTimestamp?: Time | null;
}

/** authentication.v1.TokenReview */
export interface TokenReview {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec: TokenReviewSpec;
  status?: TokenReviewStatus;
}

/** authentication.v1.TokenReviewSpec */
export interface TokenReviewSpec {
  token?: string;
  audiences?: string[];
}

/** authentication.v1.TokenReviewStatus */
export interface TokenReviewStatus {
  authenticated?: boolean;
  user?: UserInfo;
  audiences?: string[];
  error?: string;
}

/** authentication.v1.UserInfo */
export interface UserInfo {
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

/** authorization.v1.FieldSelectorAttributes */
export interface FieldSelectorAttributes {
  rawSelector?: string;
  requirements?: FieldSelectorRequirement[];
}

/** authorization.v1.LabelSelectorAttributes */
export interface LabelSelectorAttributes {
  rawSelector?: string;
  requirements?: LabelSelectorRequirement[];
}

/** authorization.v1.LocalSubjectAccessReview */
export interface LocalSubjectAccessReview {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
}

/** authorization.v1.NonResourceAttributes */
export interface NonResourceAttributes {
  path?: string;
  verb?: string;
}

/** authorization.v1.NonResourceRule */
export interface NonResourceRule {
  verbs: string[];
  nonResourceURLs?: string[];
}

/** authorization.v1.ResourceAttributes */
export interface ResourceAttributes {
  namespace?: string;
  verb?: string;
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  name?: string;
  fieldSelector?: FieldSelectorAttributes;
  labelSelector?: LabelSelectorAttributes;
}

/** authorization.v1.ResourceRule */
export interface ResourceRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
}

/** authorization.v1.SelfSubjectAccessReview */
export interface SelfSubjectAccessReview {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec: SelfSubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
}

/** authorization.v1.SelfSubjectAccessReviewSpec */
export interface SelfSubjectAccessReviewSpec {
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: NonResourceAttributes;
}

/** authorization.v1.SelfSubjectRulesReview */
export interface SelfSubjectRulesReview {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec: SelfSubjectRulesReviewSpec;
  status?: SubjectRulesReviewStatus;
}

/** authorization.v1.SelfSubjectRulesReviewSpec */
export interface SelfSubjectRulesReviewSpec {
  namespace?: string;
}

/** authorization.v1.SubjectAccessReview */
export interface SubjectAccessReview {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
}

/** authorization.v1.SubjectAccessReviewSpec */
export interface SubjectAccessReviewSpec {
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: NonResourceAttributes;
  user?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
  uid?: string;
}

/** authorization.v1.SubjectAccessReviewStatus */
export interface SubjectAccessReviewStatus {
  allowed: boolean;
  denied?: boolean;
  reason?: string;
  evaluationError?: string;
}

/** authorization.v1.SubjectRulesReviewStatus */
export interface SubjectRulesReviewStatus {
  resourceRules: ResourceRule[];
  nonResourceRules: NonResourceRule[];
  incomplete: boolean;
  evaluationError?: string;
}

/** autoscaling.v1.CrossVersionObjectReference */
export interface AutoscalingCrossVersionObjectReference {
  kind: string;
  name: string;
  apiVersion?: string;
}

/** autoscaling.v1.HorizontalPodAutoscaler */
export interface AutoscalingHorizontalPodAutoscaler {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: AutoscalingHorizontalPodAutoscalerSpec;
  status?: AutoscalingHorizontalPodAutoscalerStatus;
}

/** autoscaling.v1.HorizontalPodAutoscalerList */
export interface AutoscalingHorizontalPodAutoscalerList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: AutoscalingHorizontalPodAutoscaler[];
}

/** autoscaling.v1.HorizontalPodAutoscalerSpec */
export interface AutoscalingHorizontalPodAutoscalerSpec {
  scaleTargetRef: AutoscalingCrossVersionObjectReference;
  minReplicas?: number;
  maxReplicas: number;
  targetCPUUtilizationPercentage?: number;
}

/** autoscaling.v1.HorizontalPodAutoscalerStatus */
export interface AutoscalingHorizontalPodAutoscalerStatus {
  observedGeneration?: number;
  lastScaleTime?: Time;
  currentReplicas: number;
  desiredReplicas: number;
  currentCPUUtilizationPercentage?: number;
}

/** autoscaling.v1.Scale */
export interface Scale {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: ScaleSpec;
  status?: ScaleStatus;
}

/** autoscaling.v1.ScaleSpec */
export interface ScaleSpec {
  replicas?: number;
}

/** autoscaling.v1.ScaleStatus */
export interface ScaleStatus {
  replicas: number;
  selector?: string;
}

/** autoscaling.v2.ContainerResourceMetricSource */
export interface ContainerResourceMetricSource {
  name: string;
  target: MetricTarget;
  container: string;
}

/** autoscaling.v2.ContainerResourceMetricStatus */
export interface ContainerResourceMetricStatus {
  name: string;
  current: MetricValueStatus;
  container: string;
}

/** autoscaling.v2.CrossVersionObjectReference */
export interface CrossVersionObjectReference {
  kind: string;
  name: string;
  apiVersion?: string;
}

/** autoscaling.v2.ExternalMetricSource */
export interface ExternalMetricSource {
  metric: MetricIdentifier;
  target: MetricTarget;
}

/** autoscaling.v2.ExternalMetricStatus */
export interface ExternalMetricStatus {
  metric: MetricIdentifier;
  current: MetricValueStatus;
}

/** autoscaling.v2.HPAScalingPolicy */
export interface HPAScalingPolicy {
  type: string;
  value: number;
  periodSeconds: number;
}

/** autoscaling.v2.HPAScalingRules */
export interface HPAScalingRules {
  stabilizationWindowSeconds?: number;
  selectPolicy?: string;
  policies?: HPAScalingPolicy[];
  tolerance?: Quantity;
}

/** autoscaling.v2.HorizontalPodAutoscaler */
export interface HorizontalPodAutoscaler {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: HorizontalPodAutoscalerSpec;
  status?: HorizontalPodAutoscalerStatus;
}

/** autoscaling.v2.HorizontalPodAutoscalerBehavior */
export interface HorizontalPodAutoscalerBehavior {
  scaleUp?: HPAScalingRules;
  scaleDown?: HPAScalingRules;
}

/** autoscaling.v2.HorizontalPodAutoscalerCondition */
export interface HorizontalPodAutoscalerCondition {
  type: string;
  status: string;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

/** autoscaling.v2.HorizontalPodAutoscalerList */
export interface HorizontalPodAutoscalerList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: HorizontalPodAutoscaler[];
}

/** autoscaling.v2.HorizontalPodAutoscalerSpec */
export interface HorizontalPodAutoscalerSpec {
  scaleTargetRef: CrossVersionObjectReference;
  minReplicas?: number;
  maxReplicas: number;
  metrics?: MetricSpec[];
  behavior?: HorizontalPodAutoscalerBehavior;
}

/** autoscaling.v2.HorizontalPodAutoscalerStatus */
export interface HorizontalPodAutoscalerStatus {
  observedGeneration?: number;
  lastScaleTime?: Time;
  currentReplicas?: number;
  desiredReplicas: number;
  currentMetrics?: MetricStatus[] | null;
  conditions?: HorizontalPodAutoscalerCondition[];
}

/** autoscaling.v2.MetricIdentifier */
export interface MetricIdentifier {
  name: string;
  selector?: LabelSelector;
}

/** autoscaling.v2.MetricSpec */
export interface MetricSpec {
  type: string;
  object?: ObjectMetricSource;
  pods?: PodsMetricSource;
  resource?: ResourceMetricSource;
  containerResource?: ContainerResourceMetricSource;
  external?: ExternalMetricSource;
}

/** autoscaling.v2.MetricStatus */
export interface MetricStatus {
  type: string;
  object?: ObjectMetricStatus;
  pods?: PodsMetricStatus;
  resource?: ResourceMetricStatus;
  containerResource?: ContainerResourceMetricStatus;
  external?: ExternalMetricStatus;
}

/** autoscaling.v2.MetricTarget */
export interface MetricTarget {
  type: string;
  value?: Quantity;
  averageValue?: Quantity;
  averageUtilization?: number;
}

/** autoscaling.v2.MetricValueStatus */
export interface MetricValueStatus {
  value?: Quantity;
  averageValue?: Quantity;
  averageUtilization?: number;
}

/** autoscaling.v2.ObjectMetricSource */
export interface ObjectMetricSource {
  describedObject: CrossVersionObjectReference;
  target: MetricTarget;
  metric: MetricIdentifier;
}

/** autoscaling.v2.ObjectMetricStatus */
export interface ObjectMetricStatus {
  metric: MetricIdentifier;
  current: MetricValueStatus;
  describedObject: CrossVersionObjectReference;
}

/** autoscaling.v2.PodsMetricSource */
export interface PodsMetricSource {
  metric: MetricIdentifier;
  target: MetricTarget;
}

/** autoscaling.v2.PodsMetricStatus */
export interface PodsMetricStatus {
  metric: MetricIdentifier;
  current: MetricValueStatus;
}

/** autoscaling.v2.ResourceMetricSource */
export interface ResourceMetricSource {
  name: string;
  target: MetricTarget;
}

/** autoscaling.v2.ResourceMetricStatus */
export interface ResourceMetricStatus {
  name: string;
  current: MetricValueStatus;
}

/** batch.v1.CronJob */
export interface CronJob {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: CronJobSpec;
  status?: CronJobStatus;
}

/** batch.v1.CronJobList */
export interface CronJobList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: CronJob[];
}

/** batch.v1.CronJobSpec */
export interface CronJobSpec {
  schedule: string;
  timeZone?: string;
  startingDeadlineSeconds?: number;
  concurrencyPolicy?: string;
  suspend?: boolean;
  jobTemplate: JobTemplateSpec;
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
}

/** batch.v1.CronJobStatus */
export interface CronJobStatus {
  active?: ObjectReference[];
  lastScheduleTime?: Time;
  lastSuccessfulTime?: Time;
}

/** batch.v1.Job */
export interface Job {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: JobSpec;
  status?: JobStatus;
}

/** batch.v1.JobCondition */
export interface JobCondition {
  type: string;
  status: string;
  lastProbeTime?: Time | null;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

/** batch.v1.JobList */
export interface JobList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Job[];
}

/** batch.v1.JobSpec */
export interface JobSpec {
  parallelism?: number;
  completions?: number;
  activeDeadlineSeconds?: number;
  podFailurePolicy?: PodFailurePolicy;
  successPolicy?: SuccessPolicy;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  selector?: LabelSelector;
  manualSelector?: boolean;
  template: PodTemplateSpec;
  ttlSecondsAfterFinished?: number;
  completionMode?: string;
  suspend?: boolean;
  podReplacementPolicy?: string;
  managedBy?: string;
}

/** batch.v1.JobStatus */
export interface JobStatus {
  conditions?: JobCondition[];
  startTime?: Time;
  completionTime?: Time;
  active?: number;
  succeeded?: number;
  failed?: number;
  terminating?: number;
  completedIndexes?: string;
  failedIndexes?: string;
  uncountedTerminatedPods?: UncountedTerminatedPods;
  ready?: number;
}

/** batch.v1.JobTemplateSpec */
export interface JobTemplateSpec {
  metadata?: ObjectMeta;
  spec?: JobSpec;
}

/** batch.v1.PodFailurePolicy */
export interface PodFailurePolicy {
  rules: PodFailurePolicyRule[];
}

/** batch.v1.PodFailurePolicyOnExitCodesRequirement */
export interface PodFailurePolicyOnExitCodesRequirement {
  containerName?: string;
  operator: string;
  values: number[];
}

/** batch.v1.PodFailurePolicyOnPodConditionsPattern */
export interface PodFailurePolicyOnPodConditionsPattern {
  type: string;
  status?: string;
}

/** batch.v1.PodFailurePolicyRule */
export interface PodFailurePolicyRule {
  action: string;
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[];
}

/** batch.v1.SuccessPolicy */
export interface SuccessPolicy {
  rules: SuccessPolicyRule[];
}

/** batch.v1.SuccessPolicyRule */
export interface SuccessPolicyRule {
  succeededIndexes?: string;
  succeededCount?: number;
}

/** batch.v1.UncountedTerminatedPods */
export interface UncountedTerminatedPods {
  succeeded?: string[];
  failed?: string[];
}

/** certificates.v1.CertificateSigningRequest */
export interface CertificateSigningRequest {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec: CertificateSigningRequestSpec;
  status?: CertificateSigningRequestStatus;
}

/** certificates.v1.CertificateSigningRequestCondition */
export interface CertificateSigningRequestCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastUpdateTime?: Time | null;
  lastTransitionTime?: Time | null;
}

/** certificates.v1.CertificateSigningRequestList */
export interface CertificateSigningRequestList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: CertificateSigningRequest[];
}

/** certificates.v1.CertificateSigningRequestSpec */
export interface CertificateSigningRequestSpec {
  request: Base64;
  signerName: string;
  expirationSeconds?: number;
  usages?: string[];
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

/** certificates.v1.CertificateSigningRequestStatus */
export interface CertificateSigningRequestStatus {
  conditions?: CertificateSigningRequestCondition[];
  certificate?: Base64;
}

/** coordination.v1.Lease */
export interface Lease {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: LeaseSpec;
}

/** coordination.v1.LeaseList */
export interface LeaseList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Lease[];
}

/** coordination.v1.LeaseSpec */
export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: MicroTime;
  renewTime?: MicroTime;
  leaseTransitions?: number;
  strategy?: string;
  preferredHolder?: string;
}

/** core.v1.AWSElasticBlockStoreVolumeSource */
export interface AWSElasticBlockStoreVolumeSource {
  volumeID: string;
  fsType?: string;
  partition?: number;
  readOnly?: boolean;
}

/** core.v1.Affinity */
export interface Affinity {
  nodeAffinity?: NodeAffinity;
  podAffinity?: PodAffinity;
  podAntiAffinity?: PodAntiAffinity;
}

/** core.v1.AppArmorProfile */
export interface AppArmorProfile {
  type: string;
  localhostProfile?: string;
}

/** core.v1.AttachedVolume */
export interface AttachedVolume {
  name: string;
  devicePath: string;
}

/** core.v1.AzureDiskVolumeSource */
export interface AzureDiskVolumeSource {
  diskName: string;
  diskURI: string;
  cachingMode?: string;
  fsType?: string;
  readOnly?: boolean;
  kind?: string;
}

/** core.v1.AzureFilePersistentVolumeSource */
export interface AzureFilePersistentVolumeSource {
  secretName: string;
  shareName: string;
  readOnly?: boolean;
  secretNamespace?: string | null;
}

/** core.v1.AzureFileVolumeSource */
export interface AzureFileVolumeSource {
  secretName: string;
  shareName: string;
  readOnly?: boolean;
}

/** core.v1.Binding */
export interface Binding {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  target: ObjectReference;
}

/** core.v1.CSIPersistentVolumeSource */
export interface CSIPersistentVolumeSource {
  driver: string;
  volumeHandle: string;
  readOnly?: boolean;
  fsType?: string;
  volumeAttributes?: Record<string, string>;
  controllerPublishSecretRef?: SecretReference;
  nodeStageSecretRef?: SecretReference;
  nodePublishSecretRef?: SecretReference;
  controllerExpandSecretRef?: SecretReference;
  nodeExpandSecretRef?: SecretReference;
}

/** core.v1.CSIVolumeSource */
export interface CSIVolumeSource {
  driver: string;
  readOnly?: boolean;
  fsType?: string;
  volumeAttributes?: Record<string, string>;
  nodePublishSecretRef?: LocalObjectReference;
}

/** core.v1.Capabilities */
export interface Capabilities {
  add?: string[];
  drop?: string[];
}

/** core.v1.CephFSPersistentVolumeSource */
export interface CephFSPersistentVolumeSource {
  monitors: string[];
  path?: string;
  user?: string;
  secretFile?: string;
  secretRef?: SecretReference;
  readOnly?: boolean;
}

/** core.v1.CephFSVolumeSource */
export interface CephFSVolumeSource {
  monitors: string[];
  path?: string;
  user?: string;
  secretFile?: string;
  secretRef?: LocalObjectReference;
  readOnly?: boolean;
}

/** core.v1.CinderPersistentVolumeSource */
export interface CinderPersistentVolumeSource {
  volumeID: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: SecretReference;
}

/** core.v1.CinderVolumeSource */
export interface CinderVolumeSource {
  volumeID: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
}

/** core.v1.ClientIPConfig */
export interface ClientIPConfig {
  timeoutSeconds?: number;
}

/** core.v1.ClusterTrustBundleProjection */
export interface ClusterTrustBundleProjection {
  name?: string;
  signerName?: string;
  labelSelector?: LabelSelector;
  optional?: boolean;
  path: string;
}

/** core.v1.ComponentCondition */
export interface ComponentCondition {
  type: string;
  status: string;
  message?: string;
  error?: string;
}

/** core.v1.ComponentStatus */
export interface ComponentStatus {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  conditions?: ComponentCondition[];
}

/** core.v1.ComponentStatusList */
export interface ComponentStatusList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ComponentStatus[];
}

/** core.v1.ConfigMap */
export interface ConfigMap {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  immutable?: boolean;
  data?: Record<string, string>;
  binaryData?: Record<string, Base64>;
}

/** core.v1.ConfigMapEnvSource */
export interface ConfigMapEnvSource {
  name?: string;
  optional?: boolean;
}

/** core.v1.ConfigMapKeySelector */
export interface ConfigMapKeySelector {
  name?: string;
  key: string;
  optional?: boolean;
}

/** core.v1.ConfigMapList */
export interface ConfigMapList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ConfigMap[];
}

/** core.v1.ConfigMapNodeConfigSource */
export interface ConfigMapNodeConfigSource {
  namespace: string;
  name: string;
  uid?: string;
  resourceVersion?: string;
  kubeletConfigKey: string;
}

/** core.v1.ConfigMapProjection */
export interface ConfigMapProjection {
  name?: string;
  items?: KeyToPath[];
  optional?: boolean;
}

/** core.v1.ConfigMapVolumeSource */
export interface ConfigMapVolumeSource {
  name?: string;
  items?: KeyToPath[];
  defaultMode?: number;
  optional?: boolean;
}

/** core.v1.Container */
export interface Container {
  name: string;
  image?: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  ports?: ContainerPort[];
  envFrom?: EnvFromSource[];
  env?: EnvVar[];
  resources?: ResourceRequirements;
  resizePolicy?: ContainerResizePolicy[];
  restartPolicy?: string;
  restartPolicyRules?: ContainerRestartRule[];
  volumeMounts?: VolumeMount[];
  volumeDevices?: VolumeDevice[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: Lifecycle;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  imagePullPolicy?: string;
  securityContext?: SecurityContext;
  stdin?: boolean;
  stdinOnce?: boolean;
  tty?: boolean;
}

/** core.v1.ContainerExtendedResourceRequest */
export interface ContainerExtendedResourceRequest {
  containerName: string;
  resourceName: string;
  requestName: string;
}

/** core.v1.ContainerImage */
export interface ContainerImage {
  names?: string[] | null;
  sizeBytes?: number;
}

/** core.v1.ContainerPort */
export interface ContainerPort {
  name?: string;
  hostPort?: number;
  containerPort: number;
  protocol?: string;
  hostIP?: string;
}

/** core.v1.ContainerResizePolicy */
export interface ContainerResizePolicy {
  resourceName: string;
  restartPolicy: string;
}

/** core.v1.ContainerRestartRule */
export interface ContainerRestartRule {
  action?: string;
  exitCodes?: ContainerRestartRuleOnExitCodes;
}

/** core.v1.ContainerRestartRuleOnExitCodes */
export interface ContainerRestartRuleOnExitCodes {
  operator?: string;
  values?: number[];
}

/** core.v1.ContainerState */
export interface ContainerState {
  waiting?: ContainerStateWaiting;
  running?: ContainerStateRunning;
  terminated?: ContainerStateTerminated;
}

/** core.v1.ContainerStateRunning */
export interface ContainerStateRunning {
  startedAt?: Time | null;
}

/** core.v1.ContainerStateTerminated */
export interface ContainerStateTerminated {
  exitCode: number;
  signal?: number;
  reason?: string;
  message?: string;
  startedAt?: Time | null;
  finishedAt?: Time | null;
  containerID?: string;
}

/** core.v1.ContainerStateWaiting */
export interface ContainerStateWaiting {
  reason?: string;
  message?: string;
}

/** core.v1.ContainerStatus */
export interface ContainerStatus {
  name: string;
  state?: ContainerState;
  lastState?: ContainerState;
  ready: boolean;
  restartCount: number;
  image: string;
  imageID: string;
  containerID?: string;
  started?: boolean;
  allocatedResources?: Record<string, Quantity>;
  resources?: ResourceRequirements;
  volumeMounts?: VolumeMountStatus[];
  user?: ContainerUser;
  allocatedResourcesStatus?: ResourceStatus[];
  stopSignal?: string;
}

/** core.v1.ContainerUser */
export interface ContainerUser {
  linux?: LinuxContainerUser;
}

/** core.v1.DaemonEndpoint */
export interface DaemonEndpoint {
  Port: number;
}

/** core.v1.DownwardAPIProjection */
export interface DownwardAPIProjection {
  items?: DownwardAPIVolumeFile[];
}

/** core.v1.DownwardAPIVolumeFile */
export interface DownwardAPIVolumeFile {
  path: string;
  fieldRef?: ObjectFieldSelector;
  resourceFieldRef?: ResourceFieldSelector;
  mode?: number;
}

/** core.v1.DownwardAPIVolumeSource */
export interface DownwardAPIVolumeSource {
  items?: DownwardAPIVolumeFile[];
  defaultMode?: number;
}

/** core.v1.EmptyDirVolumeSource */
export interface EmptyDirVolumeSource {
  medium?: string;
  sizeLimit?: Quantity;
}

/** core.v1.EndpointAddress */
export interface EndpointAddress {
  ip: string;
  hostname?: string;
  nodeName?: string;
  targetRef?: ObjectReference;
}

/** core.v1.EndpointPort */
export interface EndpointPort {
  name?: string;
  port: number;
  protocol?: string;
  appProtocol?: string;
}

/** core.v1.EndpointSubset */
export interface EndpointSubset {
  addresses?: EndpointAddress[];
  notReadyAddresses?: EndpointAddress[];
  ports?: EndpointPort[];
}

/** core.v1.Endpoints */
export interface Endpoints {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  subsets?: EndpointSubset[];
}

/** core.v1.EndpointsList */
export interface EndpointsList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Endpoints[];
}

/** core.v1.EnvFromSource */
export interface EnvFromSource {
  prefix?: string;
  configMapRef?: ConfigMapEnvSource;
  secretRef?: SecretEnvSource;
}

/** core.v1.EnvVar */
export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: EnvVarSource;
}

/** core.v1.EnvVarSource */
export interface EnvVarSource {
  fieldRef?: ObjectFieldSelector;
  resourceFieldRef?: ResourceFieldSelector;
  configMapKeyRef?: ConfigMapKeySelector;
  secretKeyRef?: SecretKeySelector;
  fileKeyRef?: FileKeySelector;
}

/** core.v1.EphemeralContainer */
export interface EphemeralContainer {
  name: string;
  image?: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  ports?: ContainerPort[];
  envFrom?: EnvFromSource[];
  env?: EnvVar[];
  resources?: ResourceRequirements;
  resizePolicy?: ContainerResizePolicy[];
  restartPolicy?: string;
  restartPolicyRules?: ContainerRestartRule[];
  volumeMounts?: VolumeMount[];
  volumeDevices?: VolumeDevice[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: Lifecycle;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  imagePullPolicy?: string;
  securityContext?: SecurityContext;
  stdin?: boolean;
  stdinOnce?: boolean;
  tty?: boolean;
  targetContainerName?: string;
}

/** core.v1.EphemeralVolumeSource */
export interface EphemeralVolumeSource {
  volumeClaimTemplate?: PersistentVolumeClaimTemplate;
}

/** core.v1.Event */
export interface Event {
  kind?: string;
  apiVersion?: string;
  metadata: ObjectMeta;
  involvedObject: ObjectReference;
  reason?: string;
  message?: string;
  source?: EventSource;
  firstTimestamp?: Time | null;
  lastTimestamp?: Time | null;
  count?: number;
  type?: string;
  eventTime?: MicroTime | null;
  series?: EventSeries;
  action?: string;
  related?: ObjectReference;
  reportingComponent?: string;
  reportingInstance?: string;
}

/** core.v1.EventList */
export interface EventList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Event[];
}

/** core.v1.EventSeries */
export interface EventSeries {
  count?: number;
  lastObservedTime?: MicroTime | null;
}

/** core.v1.EventSource */
export interface EventSource {
  component?: string;
  host?: string;
}

/** core.v1.ExecAction */
export interface ExecAction {
  command?: string[];
}

/** core.v1.FCVolumeSource */
export interface FCVolumeSource {
  targetWWNs?: string[];
  lun?: number;
  fsType?: string;
  readOnly?: boolean;
  wwids?: string[];
}

/** core.v1.FileKeySelector */
export interface FileKeySelector {
  volumeName: string;
  path: string;
  key: string;
  optional?: boolean;
}

/** core.v1.FlexPersistentVolumeSource */
export interface FlexPersistentVolumeSource {
  driver: string;
  fsType?: string;
  secretRef?: SecretReference;
  readOnly?: boolean;
  options?: Record<string, string>;
}

/** core.v1.FlexVolumeSource */
export interface FlexVolumeSource {
  driver: string;
  fsType?: string;
  secretRef?: LocalObjectReference;
  readOnly?: boolean;
  options?: Record<string, string>;
}

/** core.v1.FlockerVolumeSource */
export interface FlockerVolumeSource {
  datasetName?: string;
  datasetUUID?: string;
}

/** core.v1.GCEPersistentDiskVolumeSource */
export interface GCEPersistentDiskVolumeSource {
  pdName: string;
  fsType?: string;
  partition?: number;
  readOnly?: boolean;
}

/** core.v1.GRPCAction */
export interface GRPCAction {
  port: number;
  service?: string | null;
}

/** core.v1.GitRepoVolumeSource */
export interface GitRepoVolumeSource {
  repository: string;
  revision?: string;
  directory?: string;
}

/** core.v1.GlusterfsPersistentVolumeSource */
export interface GlusterfsPersistentVolumeSource {
  endpoints: string;
  path: string;
  readOnly?: boolean;
  endpointsNamespace?: string;
}

/** core.v1.GlusterfsVolumeSource */
export interface GlusterfsVolumeSource {
  endpoints: string;
  path: string;
  readOnly?: boolean;
}

/** core.v1.HTTPGetAction */
export interface HTTPGetAction {
  path?: string;
  port: IntOrString;
  host?: string;
  scheme?: string;
  httpHeaders?: HTTPHeader[];
}

/** core.v1.HTTPHeader */
export interface HTTPHeader {
  name: string;
  value: string;
}

/** core.v1.HostAlias */
export interface HostAlias {
  ip: string;
  hostnames?: string[];
}

/** core.v1.HostIP */
export interface HostIP {
  ip: string;
}

/** core.v1.HostPathVolumeSource */
export interface HostPathVolumeSource {
  path: string;
  type?: string;
}

/** core.v1.ISCSIPersistentVolumeSource */
export interface ISCSIPersistentVolumeSource {
  targetPortal: string;
  iqn: string;
  lun: number;
  iscsiInterface?: string;
  fsType?: string;
  readOnly?: boolean;
  portals?: string[];
  chapAuthDiscovery?: boolean;
  chapAuthSession?: boolean;
  secretRef?: SecretReference;
  initiatorName?: string;
}

/** core.v1.ISCSIVolumeSource */
export interface ISCSIVolumeSource {
  targetPortal: string;
  iqn: string;
  lun: number;
  iscsiInterface?: string;
  fsType?: string;
  readOnly?: boolean;
  portals?: string[];
  chapAuthDiscovery?: boolean;
  chapAuthSession?: boolean;
  secretRef?: LocalObjectReference;
  initiatorName?: string;
}

/** core.v1.ImageVolumeSource */
export interface ImageVolumeSource {
  reference?: string;
  pullPolicy?: string;
}

/** core.v1.ImageVolumeStatus */
export interface ImageVolumeStatus {
  imageRef?: string;
}

/** core.v1.KeyToPath */
export interface KeyToPath {
  key: string;
  path: string;
  mode?: number;
}

/** core.v1.Lifecycle */
export interface Lifecycle {
  postStart?: LifecycleHandler;
  preStop?: LifecycleHandler;
  stopSignal?: string;
}

/** core.v1.LifecycleHandler */
export interface LifecycleHandler {
  exec?: ExecAction;
  httpGet?: HTTPGetAction;
  tcpSocket?: TCPSocketAction;
  sleep?: SleepAction;
}

/** core.v1.LimitRange */
export interface LimitRange {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: LimitRangeSpec;
}

/** core.v1.LimitRangeItem */
export interface LimitRangeItem {
  type: string;
  max?: Record<string, Quantity>;
  min?: Record<string, Quantity>;
  default?: Record<string, Quantity>;
  defaultRequest?: Record<string, Quantity>;
  maxLimitRequestRatio?: Record<string, Quantity>;
}

/** core.v1.LimitRangeList */
export interface LimitRangeList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: LimitRange[];
}

/** core.v1.LimitRangeSpec */
export interface LimitRangeSpec {
  limits: LimitRangeItem[];
}

/** core.v1.LinuxContainerUser */
export interface LinuxContainerUser {
  uid: number;
  gid: number;
  supplementalGroups?: number[];
}

/** core.v1.LoadBalancerIngress */
export interface LoadBalancerIngress {
  ip?: string;
  hostname?: string;
  ipMode?: string;
  ports?: PortStatus[];
}

/** core.v1.LoadBalancerStatus */
export interface LoadBalancerStatus {
  ingress?: LoadBalancerIngress[];
}

/** core.v1.LocalObjectReference */
export interface LocalObjectReference {
  name?: string;
}

/** core.v1.LocalVolumeSource */
export interface LocalVolumeSource {
  path: string;
  fsType?: string;
}

/** core.v1.ModifyVolumeStatus */
export interface ModifyVolumeStatus {
  targetVolumeAttributesClassName?: string;
  status: string;
}

/** core.v1.NFSVolumeSource */
export interface NFSVolumeSource {
  server: string;
  path: string;
  readOnly?: boolean;
}

/** core.v1.Namespace */
export interface Namespace {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: NamespaceSpec;
  status?: NamespaceStatus;
}

/** core.v1.NamespaceCondition */
export interface NamespaceCondition {
  type: string;
  status: string;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

/** core.v1.NamespaceList */
export interface NamespaceList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Namespace[];
}

/** core.v1.NamespaceSpec */
export interface NamespaceSpec {
  finalizers?: string[];
}

/** core.v1.NamespaceStatus */
export interface NamespaceStatus {
  phase?: string;
  conditions?: NamespaceCondition[];
}

/** core.v1.Node */
export interface Node {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: NodeSpec;
  status?: NodeStatus;
}

/** core.v1.NodeAddress */
export interface NodeAddress {
  type: string;
  address: string;
}

/** core.v1.NodeAffinity */
export interface NodeAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[];
}

/** core.v1.NodeAllocatableResourceClaimStatus */
export interface NodeAllocatableResourceClaimStatus {
  resourceClaimName: string;
  containers?: string[];
  resources: Record<string, Quantity>;
}

/** core.v1.NodeCondition */
export interface NodeCondition {
  type: string;
  status: string;
  lastHeartbeatTime?: Time | null;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

/** core.v1.NodeConfigSource */
export interface NodeConfigSource {
  configMap?: ConfigMapNodeConfigSource;
}

/** core.v1.NodeConfigStatus */
export interface NodeConfigStatus {
  assigned?: NodeConfigSource;
  active?: NodeConfigSource;
  lastKnownGood?: NodeConfigSource;
  error?: string;
}

/** core.v1.NodeDaemonEndpoints */
export interface NodeDaemonEndpoints {
  kubeletEndpoint?: DaemonEndpoint;
}

/** core.v1.NodeFeatures */
export interface NodeFeatures {
  supplementalGroupsPolicy?: boolean;
}

/** core.v1.NodeList */
export interface NodeList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Node[];
}

/** core.v1.NodeProxyOptions */
export interface NodeProxyOptions {
  kind?: string;
  apiVersion?: string;
  path?: string;
}

/** core.v1.NodeRuntimeHandler */
export interface NodeRuntimeHandler {
  name?: string;
  features?: NodeRuntimeHandlerFeatures;
}

/** core.v1.NodeRuntimeHandlerFeatures */
export interface NodeRuntimeHandlerFeatures {
  recursiveReadOnlyMounts?: boolean;
  userNamespaces?: boolean;
}

/** core.v1.NodeSelector */
export interface NodeSelector {
  nodeSelectorTerms: NodeSelectorTerm[];
}

/** core.v1.NodeSelectorRequirement */
export interface NodeSelectorRequirement {
  key: string;
  operator: string;
  values?: string[];
}

/** core.v1.NodeSelectorTerm */
export interface NodeSelectorTerm {
  matchExpressions?: NodeSelectorRequirement[];
  matchFields?: NodeSelectorRequirement[];
}

/** core.v1.NodeSpec */
export interface NodeSpec {
  podCIDR?: string;
  podCIDRs?: string[];
  providerID?: string;
  unschedulable?: boolean;
  taints?: Taint[];
  configSource?: NodeConfigSource;
  externalID?: string;
}

/** core.v1.NodeStatus */
export interface NodeStatus {
  capacity?: Record<string, Quantity>;
  allocatable?: Record<string, Quantity>;
  phase?: string;
  conditions?: NodeCondition[];
  addresses?: NodeAddress[];
  daemonEndpoints?: NodeDaemonEndpoints;
  nodeInfo?: NodeSystemInfo;
  images?: ContainerImage[];
  volumesInUse?: string[];
  volumesAttached?: AttachedVolume[];
  config?: NodeConfigStatus;
  runtimeHandlers?: NodeRuntimeHandler[];
  features?: NodeFeatures;
  declaredFeatures?: string[];
}

/** core.v1.NodeSwapStatus */
export interface NodeSwapStatus {
  capacity?: number;
}

/** core.v1.NodeSystemInfo */
export interface NodeSystemInfo {
  machineID: string;
  systemUUID: string;
  bootID: string;
  kernelVersion: string;
  osImage: string;
  containerRuntimeVersion: string;
  kubeletVersion: string;
  kubeProxyVersion: string;
  operatingSystem: string;
  architecture: string;
  swap?: NodeSwapStatus;
}

/** core.v1.ObjectFieldSelector */
export interface ObjectFieldSelector {
  apiVersion?: string;
  fieldPath: string;
}

/** core.v1.ObjectReference */
export interface ObjectReference {
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiVersion?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

/** core.v1.PersistentVolume */
export interface PersistentVolume {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: PersistentVolumeSpec;
  status?: PersistentVolumeStatus;
}

/** core.v1.PersistentVolumeClaim */
export interface PersistentVolumeClaim {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: PersistentVolumeClaimSpec;
  status?: PersistentVolumeClaimStatus;
}

/** core.v1.PersistentVolumeClaimCondition */
export interface PersistentVolumeClaimCondition {
  type: string;
  status: string;
  lastProbeTime?: Time | null;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

/** core.v1.PersistentVolumeClaimList */
export interface PersistentVolumeClaimList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: PersistentVolumeClaim[];
}

/** core.v1.PersistentVolumeClaimSpec */
export interface PersistentVolumeClaimSpec {
  accessModes?: string[];
  selector?: LabelSelector;
  resources?: VolumeResourceRequirements;
  volumeName?: string;
  storageClassName?: string;
  volumeMode?: string;
  dataSource?: TypedLocalObjectReference;
  dataSourceRef?: TypedObjectReference;
  volumeAttributesClassName?: string;
}

/** core.v1.PersistentVolumeClaimStatus */
export interface PersistentVolumeClaimStatus {
  phase?: string;
  accessModes?: string[];
  capacity?: Record<string, Quantity>;
  conditions?: PersistentVolumeClaimCondition[];
  allocatedResources?: Record<string, Quantity>;
  allocatedResourceStatuses?: Record<string, string>;
  currentVolumeAttributesClassName?: string;
  modifyVolumeStatus?: ModifyVolumeStatus;
}

/** core.v1.PersistentVolumeClaimTemplate */
export interface PersistentVolumeClaimTemplate {
  metadata?: ObjectMeta;
  spec: PersistentVolumeClaimSpec;
}

/** core.v1.PersistentVolumeClaimVolumeSource */
export interface PersistentVolumeClaimVolumeSource {
  claimName: string;
  readOnly?: boolean;
}

/** core.v1.PersistentVolumeList */
export interface PersistentVolumeList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: PersistentVolume[];
}

/** core.v1.PersistentVolumeSpec */
export interface PersistentVolumeSpec {
  capacity?: Record<string, Quantity>;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  hostPath?: HostPathVolumeSource;
  glusterfs?: GlusterfsPersistentVolumeSource;
  nfs?: NFSVolumeSource;
  rbd?: RBDPersistentVolumeSource;
  iscsi?: ISCSIPersistentVolumeSource;
  cinder?: CinderPersistentVolumeSource;
  cephfs?: CephFSPersistentVolumeSource;
  fc?: FCVolumeSource;
  flocker?: FlockerVolumeSource;
  flexVolume?: FlexPersistentVolumeSource;
  azureFile?: AzureFilePersistentVolumeSource;
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
  quobyte?: QuobyteVolumeSource;
  azureDisk?: AzureDiskVolumeSource;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  portworxVolume?: PortworxVolumeSource;
  scaleIO?: ScaleIOPersistentVolumeSource;
  local?: LocalVolumeSource;
  storageos?: StorageOSPersistentVolumeSource;
  csi?: CSIPersistentVolumeSource;
  accessModes?: string[];
  claimRef?: ObjectReference;
  persistentVolumeReclaimPolicy?: string;
  storageClassName?: string;
  mountOptions?: string[];
  volumeMode?: string;
  nodeAffinity?: VolumeNodeAffinity;
  volumeAttributesClassName?: string;
}

/** core.v1.PersistentVolumeStatus */
export interface PersistentVolumeStatus {
  phase?: string;
  message?: string;
  reason?: string;
  lastPhaseTransitionTime?: Time;
}

/** core.v1.PhotonPersistentDiskVolumeSource */
export interface PhotonPersistentDiskVolumeSource {
  pdID: string;
  fsType?: string;
}

/** core.v1.Pod */
export interface Pod {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: PodSpec;
  status?: PodStatus;
}

/** core.v1.PodAffinity */
export interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
}

/** core.v1.PodAffinityTerm */
export interface PodAffinityTerm {
  labelSelector?: LabelSelector;
  namespaces?: string[];
  topologyKey: string;
  namespaceSelector?: LabelSelector;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
}

/** core.v1.PodAntiAffinity */
export interface PodAntiAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
}

/** core.v1.PodAttachOptions */
export interface PodAttachOptions {
  kind?: string;
  apiVersion?: string;
  stdin?: boolean;
  stdout?: boolean;
  stderr?: boolean;
  tty?: boolean;
  container?: string;
}

/** core.v1.PodCertificateProjection */
export interface PodCertificateProjection {
  signerName?: string;
  keyType?: string;
  maxExpirationSeconds?: number;
  credentialBundlePath?: string;
  keyPath?: string;
  certificateChainPath?: string;
  userAnnotations?: Record<string, string>;
}

/** core.v1.PodCondition */
export interface PodCondition {
  type: string;
  observedGeneration?: number;
  status: string;
  lastProbeTime?: Time | null;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

/** core.v1.PodDNSConfig */
export interface PodDNSConfig {
  nameservers?: string[];
  searches?: string[];
  options?: PodDNSConfigOption[];
}

/** core.v1.PodDNSConfigOption */
export interface PodDNSConfigOption {
  name?: string;
  value?: string;
}

/** core.v1.PodExecOptions */
export interface PodExecOptions {
  kind?: string;
  apiVersion?: string;
  stdin?: boolean;
  stdout?: boolean;
  stderr?: boolean;
  tty?: boolean;
  container?: string;
  command: string[];
}

/** core.v1.PodExtendedResourceClaimStatus */
export interface PodExtendedResourceClaimStatus {
  requestMappings: ContainerExtendedResourceRequest[];
  resourceClaimName: string;
}

/** core.v1.PodIP */
export interface PodIP {
  ip: string;
}

/** core.v1.PodList */
export interface PodList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Pod[];
}

/** core.v1.PodLogOptions */
export interface PodLogOptions {
  kind?: string;
  apiVersion?: string;
  container?: string;
  follow?: boolean;
  previous?: boolean;
  sinceSeconds?: number;
  sinceTime?: Time;
  timestamps?: boolean;
  tailLines?: number;
  limitBytes?: number;
  insecureSkipTLSVerifyBackend?: boolean;
  stream?: string;
}

/** core.v1.PodOS */
export interface PodOS {
  name: string;
}

/** core.v1.PodPortForwardOptions */
export interface PodPortForwardOptions {
  kind?: string;
  apiVersion?: string;
  ports?: number[];
}

/** core.v1.PodProxyOptions */
export interface PodProxyOptions {
  kind?: string;
  apiVersion?: string;
  path?: string;
}

/** core.v1.PodReadinessGate */
export interface PodReadinessGate {
  conditionType: string;
}

/** core.v1.PodResourceClaim */
export interface PodResourceClaim {
  name: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
}

/** core.v1.PodResourceClaimStatus */
export interface PodResourceClaimStatus {
  name: string;
  resourceClaimName?: string;
}

/** core.v1.PodSchedulingGate */
export interface PodSchedulingGate {
  name: string;
}

/** core.v1.PodSchedulingGroup */
export interface PodSchedulingGroup {
  podGroupName?: string;
}

/** core.v1.PodSecurityContext */
export interface PodSecurityContext {
  seLinuxOptions?: SELinuxOptions;
  windowsOptions?: WindowsSecurityContextOptions;
  runAsUser?: number;
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  supplementalGroups?: number[];
  supplementalGroupsPolicy?: string;
  fsGroup?: number;
  sysctls?: Sysctl[];
  fsGroupChangePolicy?: string;
  seccompProfile?: SeccompProfile;
  appArmorProfile?: AppArmorProfile;
  seLinuxChangePolicy?: string;
}

/** core.v1.PodSpec */
export interface PodSpec {
  volumes?: Volume[];
  initContainers?: Container[];
  containers: Container[];
  ephemeralContainers?: EphemeralContainer[];
  restartPolicy?: string;
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  dnsPolicy?: string;
  nodeSelector?: Record<string, string>;
  serviceAccountName?: string;
  serviceAccount?: string;
  automountServiceAccountToken?: boolean;
  nodeName?: string;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  shareProcessNamespace?: boolean;
  securityContext?: PodSecurityContext;
  imagePullSecrets?: LocalObjectReference[];
  hostname?: string;
  subdomain?: string;
  affinity?: Affinity;
  schedulerName?: string;
  tolerations?: Toleration[];
  hostAliases?: HostAlias[];
  priorityClassName?: string;
  priority?: number;
  dnsConfig?: PodDNSConfig;
  readinessGates?: PodReadinessGate[];
  runtimeClassName?: string;
  enableServiceLinks?: boolean;
  preemptionPolicy?: string;
  overhead?: Record<string, Quantity>;
  topologySpreadConstraints?: TopologySpreadConstraint[];
  setHostnameAsFQDN?: boolean;
  os?: PodOS;
  hostUsers?: boolean;
  schedulingGates?: PodSchedulingGate[];
  resourceClaims?: PodResourceClaim[];
  resources?: ResourceRequirements;
  hostnameOverride?: string;
  schedulingGroup?: PodSchedulingGroup;
}

/** core.v1.PodStatus */
export interface PodStatus {
  observedGeneration?: number;
  phase?: string;
  conditions?: PodCondition[];
  message?: string;
  reason?: string;
  nominatedNodeName?: string;
  hostIP?: string;
  hostIPs?: HostIP[];
  podIP?: string;
  podIPs?: PodIP[];
  startTime?: Time;
  initContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
  qosClass?: string;
  ephemeralContainerStatuses?: ContainerStatus[];
  resize?: string;
  resourceClaimStatuses?: PodResourceClaimStatus[];
  extendedResourceClaimStatus?: PodExtendedResourceClaimStatus;
  allocatedResources?: Record<string, Quantity>;
  resources?: ResourceRequirements;
  nodeAllocatableResourceClaimStatuses?: NodeAllocatableResourceClaimStatus[];
}

/** core.v1.PodStatusResult */
export interface PodStatusResult {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  status?: PodStatus;
}

/** core.v1.PodTemplate */
export interface PodTemplate {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  template?: PodTemplateSpec;
}

/** core.v1.PodTemplateList */
export interface PodTemplateList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: PodTemplate[];
}

/** core.v1.PodTemplateSpec */
export interface PodTemplateSpec {
  metadata?: ObjectMeta;
  spec?: PodSpec;
}

/** core.v1.PortStatus */
export interface PortStatus {
  port: number;
  protocol: string;
  error?: string;
}

/** core.v1.PortworxVolumeSource */
export interface PortworxVolumeSource {
  volumeID: string;
  fsType?: string;
  readOnly?: boolean;
}

/** core.v1.PreferredSchedulingTerm */
export interface PreferredSchedulingTerm {
  weight: number;
  preference: NodeSelectorTerm;
}

/** core.v1.Probe */
export interface Probe {
  exec?: ExecAction;
  httpGet?: HTTPGetAction;
  tcpSocket?: TCPSocketAction;
  grpc?: GRPCAction;
  initialDelaySeconds?: number;
  timeoutSeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number;
}

/** core.v1.ProjectedVolumeSource */
export interface ProjectedVolumeSource {
  sources?: VolumeProjection[] | null;
  defaultMode?: number;
}

/** core.v1.QuobyteVolumeSource */
export interface QuobyteVolumeSource {
  registry: string;
  volume: string;
  readOnly?: boolean;
  user?: string;
  group?: string;
  tenant?: string;
}

/** core.v1.RBDPersistentVolumeSource */
export interface RBDPersistentVolumeSource {
  monitors: string[];
  image: string;
  fsType?: string;
  pool?: string;
  user?: string;
  keyring?: string;
  secretRef?: SecretReference;
  readOnly?: boolean;
}

/** core.v1.RBDVolumeSource */
export interface RBDVolumeSource {
  monitors: string[];
  image: string;
  fsType?: string;
  pool?: string;
  user?: string;
  keyring?: string;
  secretRef?: LocalObjectReference;
  readOnly?: boolean;
}

/** core.v1.RangeAllocation */
export interface RangeAllocation {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  range: string;
  data: Base64;
}

/** core.v1.ReplicationController */
export interface ReplicationController {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: ReplicationControllerSpec;
  status?: ReplicationControllerStatus;
}

/** core.v1.ReplicationControllerCondition */
export interface ReplicationControllerCondition {
  type: string;
  status: string;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

/** core.v1.ReplicationControllerList */
export interface ReplicationControllerList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ReplicationController[];
}

/** core.v1.ReplicationControllerSpec */
export interface ReplicationControllerSpec {
  replicas?: number;
  minReadySeconds?: number;
  selector?: Record<string, string>;
  template?: PodTemplateSpec;
}

/** core.v1.ReplicationControllerStatus */
export interface ReplicationControllerStatus {
  replicas: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  observedGeneration?: number;
  conditions?: ReplicationControllerCondition[];
}

/** core.v1.ResourceClaim */
export interface ResourceClaim {
  name: string;
  request?: string;
}

/** core.v1.ResourceFieldSelector */
export interface ResourceFieldSelector {
  containerName?: string;
  resource: string;
  divisor?: Quantity;
}

/** core.v1.ResourceHealth */
export interface ResourceHealth {
  resourceID: string;
  health?: string;
  message?: string;
}

/** core.v1.ResourceQuota */
export interface ResourceQuota {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: ResourceQuotaSpec;
  status?: ResourceQuotaStatus;
}

/** core.v1.ResourceQuotaList */
export interface ResourceQuotaList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ResourceQuota[];
}

/** core.v1.ResourceQuotaSpec */
export interface ResourceQuotaSpec {
  hard?: Record<string, Quantity>;
  scopes?: string[];
  scopeSelector?: ScopeSelector;
}

/** core.v1.ResourceQuotaStatus */
export interface ResourceQuotaStatus {
  hard?: Record<string, Quantity>;
  used?: Record<string, Quantity>;
}

/** core.v1.ResourceRequirements */
export interface ResourceRequirements {
  limits?: Record<string, Quantity>;
  requests?: Record<string, Quantity>;
  claims?: ResourceClaim[];
}

/** core.v1.ResourceStatus */
export interface ResourceStatus {
  name: string;
  resources?: ResourceHealth[];
}

/** core.v1.SELinuxOptions */
export interface SELinuxOptions {
  user?: string;
  role?: string;
  type?: string;
  level?: string;
}

/** core.v1.ScaleIOPersistentVolumeSource */
export interface ScaleIOPersistentVolumeSource {
  gateway: string;
  system: string;
  secretRef: SecretReference;
  sslEnabled?: boolean;
  protectionDomain?: string;
  storagePool?: string;
  storageMode?: string;
  volumeName?: string;
  fsType?: string;
  readOnly?: boolean;
}

/** core.v1.ScaleIOVolumeSource */
export interface ScaleIOVolumeSource {
  gateway: string;
  system: string;
  secretRef: LocalObjectReference;
  sslEnabled?: boolean;
  protectionDomain?: string;
  storagePool?: string;
  storageMode?: string;
  volumeName?: string;
  fsType?: string;
  readOnly?: boolean;
}

/** core.v1.ScopeSelector */
export interface ScopeSelector {
  matchExpressions?: ScopedResourceSelectorRequirement[];
}

/** core.v1.ScopedResourceSelectorRequirement */
export interface ScopedResourceSelectorRequirement {
  scopeName: string;
  operator: string;
  values?: string[];
}

/** core.v1.SeccompProfile */
export interface SeccompProfile {
  type: string;
  localhostProfile?: string;
}

/** core.v1.Secret */
export interface Secret {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  immutable?: boolean;
  data?: Record<string, Base64>;
  stringData?: Record<string, string>;
  type?: string;
}

/** core.v1.SecretEnvSource */
export interface SecretEnvSource {
  name?: string;
  optional?: boolean;
}

/** core.v1.SecretKeySelector */
export interface SecretKeySelector {
  name?: string;
  key: string;
  optional?: boolean;
}

/** core.v1.SecretList */
export interface SecretList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Secret[];
}

/** core.v1.SecretProjection */
export interface SecretProjection {
  name?: string;
  items?: KeyToPath[];
  optional?: boolean;
}

/** core.v1.SecretReference */
export interface SecretReference {
  name?: string;
  namespace?: string;
}

/** core.v1.SecretVolumeSource */
export interface SecretVolumeSource {
  secretName?: string;
  items?: KeyToPath[];
  defaultMode?: number;
  optional?: boolean;
}

/** core.v1.SecurityContext */
export interface SecurityContext {
  capabilities?: Capabilities;
  privileged?: boolean;
  seLinuxOptions?: SELinuxOptions;
  windowsOptions?: WindowsSecurityContextOptions;
  runAsUser?: number;
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  readOnlyRootFilesystem?: boolean;
  allowPrivilegeEscalation?: boolean;
  procMount?: string;
  seccompProfile?: SeccompProfile;
  appArmorProfile?: AppArmorProfile;
}

/** core.v1.SerializedReference */
export interface SerializedReference {
  kind?: string;
  apiVersion?: string;
  reference?: ObjectReference;
}

/** core.v1.Service */
export interface Service {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: ServiceSpec;
  status?: ServiceStatus;
}

/** core.v1.ServiceAccount */
export interface ServiceAccount {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  secrets?: ObjectReference[];
  imagePullSecrets?: LocalObjectReference[];
  automountServiceAccountToken?: boolean;
}

/** core.v1.ServiceAccountList */
export interface ServiceAccountList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ServiceAccount[];
}

/** core.v1.ServiceAccountTokenProjection */
export interface ServiceAccountTokenProjection {
  audience?: string;
  expirationSeconds?: number;
  path: string;
}

/** core.v1.ServiceList */
export interface ServiceList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Service[];
}

/** core.v1.ServicePort */
export interface ServicePort {
  name?: string;
  protocol?: string;
  appProtocol?: string;
  port: number;
  targetPort?: IntOrString;
  nodePort?: number;
}

/** core.v1.ServiceProxyOptions */
export interface ServiceProxyOptions {
  kind?: string;
  apiVersion?: string;
  path?: string;
}

/** core.v1.ServiceSpec */
export interface ServiceSpec {
  ports?: ServicePort[];
  selector?: Record<string, string>;
  clusterIP?: string;
  clusterIPs?: string[];
  type?: string;
  externalIPs?: string[];
  sessionAffinity?: string;
  loadBalancerIP?: string;
  loadBalancerSourceRanges?: string[];
  externalName?: string;
  externalTrafficPolicy?: string;
  healthCheckNodePort?: number;
  publishNotReadyAddresses?: boolean;
  sessionAffinityConfig?: SessionAffinityConfig;
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  allocateLoadBalancerNodePorts?: boolean;
  loadBalancerClass?: string;
  internalTrafficPolicy?: string;
  trafficDistribution?: string;
}

/** core.v1.ServiceStatus */
export interface ServiceStatus {
  loadBalancer?: LoadBalancerStatus;
  conditions?: Condition[];
}

/** core.v1.SessionAffinityConfig */
export interface SessionAffinityConfig {
  clientIP?: ClientIPConfig;
}

/** core.v1.SleepAction */
export interface SleepAction {
  seconds: number;
}

/** core.v1.StorageOSPersistentVolumeSource */
export interface StorageOSPersistentVolumeSource {
  volumeName?: string;
  volumeNamespace?: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: ObjectReference;
}

/** core.v1.StorageOSVolumeSource */
export interface StorageOSVolumeSource {
  volumeName?: string;
  volumeNamespace?: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
}

/** core.v1.Sysctl */
export interface Sysctl {
  name: string;
  value: string;
}

/** core.v1.TCPSocketAction */
export interface TCPSocketAction {
  port: IntOrString;
  host?: string;
}

/** core.v1.Taint */
export interface Taint {
  key: string;
  value?: string;
  effect: string;
  timeAdded?: Time;
}

/** core.v1.Toleration */
export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

/** core.v1.TopologySelectorLabelRequirement */
export interface TopologySelectorLabelRequirement {
  key: string;
  values: string[];
}

/** core.v1.TopologySelectorTerm */
export interface TopologySelectorTerm {
  matchLabelExpressions?: TopologySelectorLabelRequirement[];
}

/** core.v1.TopologySpreadConstraint */
export interface TopologySpreadConstraint {
  maxSkew: number;
  topologyKey: string;
  whenUnsatisfiable: string;
  labelSelector?: LabelSelector;
  minDomains?: number;
  nodeAffinityPolicy?: string;
  nodeTaintsPolicy?: string;
  matchLabelKeys?: string[];
}

/** core.v1.TypedLocalObjectReference */
export interface TypedLocalObjectReference {
  apiGroup?: string | null;
  kind: string;
  name: string;
}

/** core.v1.TypedObjectReference */
export interface TypedObjectReference {
  apiGroup?: string | null;
  kind: string;
  name: string;
  namespace?: string;
}

/** core.v1.Volume */
export interface Volume {
  name: string;
  hostPath?: HostPathVolumeSource;
  emptyDir?: EmptyDirVolumeSource;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  gitRepo?: GitRepoVolumeSource;
  secret?: SecretVolumeSource;
  nfs?: NFSVolumeSource;
  iscsi?: ISCSIVolumeSource;
  glusterfs?: GlusterfsVolumeSource;
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  rbd?: RBDVolumeSource;
  flexVolume?: FlexVolumeSource;
  cinder?: CinderVolumeSource;
  cephfs?: CephFSVolumeSource;
  flocker?: FlockerVolumeSource;
  downwardAPI?: DownwardAPIVolumeSource;
  fc?: FCVolumeSource;
  azureFile?: AzureFileVolumeSource;
  configMap?: ConfigMapVolumeSource;
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
  quobyte?: QuobyteVolumeSource;
  azureDisk?: AzureDiskVolumeSource;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  projected?: ProjectedVolumeSource;
  portworxVolume?: PortworxVolumeSource;
  scaleIO?: ScaleIOVolumeSource;
  storageos?: StorageOSVolumeSource;
  csi?: CSIVolumeSource;
  ephemeral?: EphemeralVolumeSource;
  image?: ImageVolumeSource;
}

/** core.v1.VolumeDevice */
export interface VolumeDevice {
  name: string;
  devicePath: string;
}

/** core.v1.VolumeMount */
export interface VolumeMount {
  name: string;
  readOnly?: boolean;
  recursiveReadOnly?: string;
  mountPath: string;
  subPath?: string;
  mountPropagation?: string;
  subPathExpr?: string;
}

/** core.v1.VolumeMountStatus */
export interface VolumeMountStatus {
  name: string;
  mountPath: string;
  readOnly?: boolean;
  recursiveReadOnly?: string;
  volumeStatus?: VolumeStatus;
}

/** core.v1.VolumeNodeAffinity */
export interface VolumeNodeAffinity {
  required?: NodeSelector;
}

/** core.v1.VolumeProjection */
export interface VolumeProjection {
  secret?: SecretProjection;
  downwardAPI?: DownwardAPIProjection;
  configMap?: ConfigMapProjection;
  serviceAccountToken?: ServiceAccountTokenProjection;
  clusterTrustBundle?: ClusterTrustBundleProjection;
  podCertificate?: PodCertificateProjection;
}

/** core.v1.VolumeResourceRequirements */
export interface VolumeResourceRequirements {
  limits?: Record<string, Quantity>;
  requests?: Record<string, Quantity>;
}

/** core.v1.VolumeStatus */
export interface VolumeStatus {
  image?: ImageVolumeStatus;
}

/** core.v1.VsphereVirtualDiskVolumeSource */
export interface VsphereVirtualDiskVolumeSource {
  volumePath: string;
  fsType?: string;
  storagePolicyName?: string;
  storagePolicyID?: string;
}

/** core.v1.WeightedPodAffinityTerm */
export interface WeightedPodAffinityTerm {
  weight: number;
  podAffinityTerm: PodAffinityTerm;
}

/** core.v1.WindowsSecurityContextOptions */
export interface WindowsSecurityContextOptions {
  gmsaCredentialSpecName?: string;
  gmsaCredentialSpec?: string;
  runAsUserName?: string;
  hostProcess?: boolean;
}

/** discovery.v1.Endpoint */
export interface Endpoint {
  addresses: string[];
  conditions?: EndpointConditions;
  hostname?: string;
  targetRef?: ObjectReference;
  deprecatedTopology?: Record<string, string>;
  nodeName?: string;
  zone?: string;
  hints?: EndpointHints;
}

/** discovery.v1.EndpointConditions */
export interface EndpointConditions {
  ready?: boolean;
  serving?: boolean;
  terminating?: boolean;
}

/** discovery.v1.EndpointHints */
export interface EndpointHints {
  forZones?: ForZone[];
  forNodes?: ForNode[];
}

/** discovery.v1.EndpointPort */
export interface DiscoveryEndpointPort {
  name?: string;
  protocol?: string;
  port?: number;
  appProtocol?: string;
}

/** discovery.v1.EndpointSlice */
export interface EndpointSlice {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  addressType: string;
  endpoints?: Endpoint[] | null;
  ports?: DiscoveryEndpointPort[] | null;
}

/** discovery.v1.EndpointSliceList */
export interface EndpointSliceList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: EndpointSlice[];
}

/** discovery.v1.ForNode */
export interface ForNode {
  name: string;
}

/** discovery.v1.ForZone */
export interface ForZone {
  name: string;
}

/** events.v1.Event */
export interface EventsEvent {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  eventTime: MicroTime | null;
  series?: EventsEventSeries;
  reportingController?: string;
  reportingInstance?: string;
  action?: string;
  reason?: string;
  regarding?: ObjectReference;
  related?: ObjectReference;
  note?: string;
  type?: string;
  deprecatedSource?: EventSource;
  deprecatedFirstTimestamp?: Time | null;
  deprecatedLastTimestamp?: Time | null;
  deprecatedCount?: number;
}

/** events.v1.EventList */
export interface EventsEventList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: EventsEvent[];
}

/** events.v1.EventSeries */
export interface EventsEventSeries {
  count: number;
  lastObservedTime: MicroTime | null;
}

/** flowcontrol.v1.ExemptPriorityLevelConfiguration */
export interface ExemptPriorityLevelConfiguration {
  nominalConcurrencyShares?: number;
  lendablePercent?: number;
}

/** flowcontrol.v1.FlowDistinguisherMethod */
export interface FlowDistinguisherMethod {
  type: string;
}

/** flowcontrol.v1.FlowSchema */
export interface FlowSchema {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: FlowSchemaSpec;
  status?: FlowSchemaStatus;
}

/** flowcontrol.v1.FlowSchemaCondition */
export interface FlowSchemaCondition {
  type?: string;
  status?: string;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

/** flowcontrol.v1.FlowSchemaList */
export interface FlowSchemaList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: FlowSchema[];
}

/** flowcontrol.v1.FlowSchemaSpec */
export interface FlowSchemaSpec {
  priorityLevelConfiguration: PriorityLevelConfigurationReference;
  matchingPrecedence?: number;
  distinguisherMethod?: FlowDistinguisherMethod;
  rules?: PolicyRulesWithSubjects[];
}

/** flowcontrol.v1.FlowSchemaStatus */
export interface FlowSchemaStatus {
  conditions?: FlowSchemaCondition[];
}

/** flowcontrol.v1.GroupSubject */
export interface GroupSubject {
  name: string;
}

/** flowcontrol.v1.LimitResponse */
export interface LimitResponse {
  type: string;
  queuing?: QueuingConfiguration;
}

/** flowcontrol.v1.LimitedPriorityLevelConfiguration */
export interface LimitedPriorityLevelConfiguration {
  nominalConcurrencyShares?: number | null;
  limitResponse?: LimitResponse;
  lendablePercent?: number;
  borrowingLimitPercent?: number;
}

/** flowcontrol.v1.NonResourcePolicyRule */
export interface NonResourcePolicyRule {
  verbs: string[];
  nonResourceURLs: string[];
}

/** flowcontrol.v1.PolicyRulesWithSubjects */
export interface PolicyRulesWithSubjects {
  subjects: Subject[];
  resourceRules?: ResourcePolicyRule[];
  nonResourceRules?: NonResourcePolicyRule[];
}

/** flowcontrol.v1.PriorityLevelConfiguration */
export interface PriorityLevelConfiguration {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: PriorityLevelConfigurationSpec;
  status?: PriorityLevelConfigurationStatus;
}

/** flowcontrol.v1.PriorityLevelConfigurationCondition */
export interface PriorityLevelConfigurationCondition {
  type?: string;
  status?: string;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

/** flowcontrol.v1.PriorityLevelConfigurationList */
export interface PriorityLevelConfigurationList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: PriorityLevelConfiguration[];
}

/** flowcontrol.v1.PriorityLevelConfigurationReference */
export interface PriorityLevelConfigurationReference {
  name: string;
}

/** flowcontrol.v1.PriorityLevelConfigurationSpec */
export interface PriorityLevelConfigurationSpec {
  type: string;
  limited?: LimitedPriorityLevelConfiguration;
  exempt?: ExemptPriorityLevelConfiguration;
}

/** flowcontrol.v1.PriorityLevelConfigurationStatus */
export interface PriorityLevelConfigurationStatus {
  conditions?: PriorityLevelConfigurationCondition[];
}

/** flowcontrol.v1.QueuingConfiguration */
export interface QueuingConfiguration {
  queues?: number;
  handSize?: number;
  queueLengthLimit?: number;
}

/** flowcontrol.v1.ResourcePolicyRule */
export interface ResourcePolicyRule {
  verbs: string[];
  apiGroups: string[];
  resources: string[];
  clusterScope?: boolean;
  namespaces?: string[] | null;
}

/** flowcontrol.v1.ServiceAccountSubject */
export interface ServiceAccountSubject {
  namespace: string;
  name: string;
}

/** flowcontrol.v1.Subject */
export interface Subject {
  kind: string;
  user?: UserSubject;
  group?: GroupSubject;
  serviceAccount?: ServiceAccountSubject;
}

/** flowcontrol.v1.UserSubject */
export interface UserSubject {
  name: string;
}

/** meta.v1.APIGroup */
export interface APIGroup {
  kind?: string;
  apiVersion?: string;
  name: string;
  versions: GroupVersionForDiscovery[];
  preferredVersion?: GroupVersionForDiscovery;
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[];
}

/** meta.v1.APIGroupList */
export interface APIGroupList {
  kind?: string;
  apiVersion?: string;
  groups: APIGroup[];
}

/** meta.v1.APIResource */
export interface APIResource {
  name: string;
  singularName: string;
  namespaced: boolean;
  group?: string;
  version?: string;
  kind: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  storageVersionHash?: string;
}

/** meta.v1.APIResourceList */
export interface APIResourceList {
  kind?: string;
  apiVersion?: string;
  groupVersion: string;
  resources: APIResource[];
}

/** meta.v1.APIVersions */
export interface APIVersions {
  kind?: string;
  apiVersion?: string;
  versions: string[];
  serverAddressByClientCIDRs: ServerAddressByClientCIDR[];
}

/** meta.v1.ApplyOptions */
export interface ApplyOptions {
  kind?: string;
  apiVersion?: string;
  dryRun?: string[];
  force: boolean;
  fieldManager: string;
}

/** meta.v1.Condition */
export interface Condition {
  type: string;
  status: string;
  observedGeneration?: number;
  lastTransitionTime: Time | null;
  reason: string;
  message: string;
}

/** meta.v1.CreateOptions */
export interface CreateOptions {
  kind?: string;
  apiVersion?: string;
  dryRun?: string[];
  fieldManager?: string;
  fieldValidation?: string;
}

/** meta.v1.DeleteOptions */
export interface DeleteOptions {
  kind?: string;
  apiVersion?: string;
  gracePeriodSeconds?: number;
  preconditions?: Preconditions;
  orphanDependents?: boolean;
  propagationPolicy?: string;
  dryRun?: string[];
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

/** meta.v1.FieldSelectorRequirement */
export interface FieldSelectorRequirement {
  key: string;
  operator: string;
  values?: string[];
}

/** meta.v1.GetOptions */
export interface GetOptions {
  kind?: string;
  apiVersion?: string;
  resourceVersion?: string;
}

/** meta.v1.GroupKind */
export interface GroupKind {
  group: string;
  kind: string;
}

/** meta.v1.GroupResource */
export interface GroupResource {
  group: string;
  resource: string;
}

/** meta.v1.GroupVersion */
export interface GroupVersion {
  group: string;
  version: string;
}

/** meta.v1.GroupVersionForDiscovery */
export interface GroupVersionForDiscovery {
  groupVersion: string;
  version: string;
}

/** meta.v1.GroupVersionKind */
export interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

/** meta.v1.GroupVersionResource */
export interface GroupVersionResource {
  group: string;
  version: string;
  resource: string;
}

/** meta.v1.LabelSelector */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelSelectorRequirement[];
}

/** meta.v1.LabelSelectorRequirement */
export interface LabelSelectorRequirement {
  key: string;
  operator: string;
  values?: string[];
}

/** meta.v1.List */
export interface List {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: unknown[];
}

/** meta.v1.ListMeta */
export interface ListMeta {
  selfLink?: string;
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
  shardInfo?: ShardInfo;
}

/** meta.v1.ListOptions */
export interface ListOptions {
  kind?: string;
  apiVersion?: string;
  labelSelector?: string;
  fieldSelector?: string;
  watch?: boolean;
  allowWatchBookmarks?: boolean;
  resourceVersion?: string;
  resourceVersionMatch?: string;
  timeoutSeconds?: number;
  limit?: number;
  continue?: string;
  sendInitialEvents?: boolean;
  shardSelector?: string;
}

/** meta.v1.ManagedFieldsEntry */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: Time;
  fieldsType?: string;
  fieldsV1?: unknown;
  subresource?: string;
}

/** meta.v1.ObjectMeta */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  selfLink?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: Time;
  deletionTimestamp?: Time;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/** meta.v1.OwnerReference */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** meta.v1.PartialObjectMetadata */
export interface PartialObjectMetadata {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
}

/** meta.v1.PartialObjectMetadataList */
export interface PartialObjectMetadataList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: PartialObjectMetadata[];
}

/** meta.v1.PatchOptions */
export interface PatchOptions {
  kind?: string;
  apiVersion?: string;
  dryRun?: string[];
  force?: boolean;
  fieldManager?: string;
  fieldValidation?: string;
}

/** meta.v1.Preconditions */
export interface Preconditions {
  uid?: string;
  resourceVersion?: string;
}

/** meta.v1.RootPaths */
export interface RootPaths {
  paths: string[];
}

/** meta.v1.ServerAddressByClientCIDR */
export interface ServerAddressByClientCIDR {
  clientCIDR: string;
  serverAddress: string;
}

/** meta.v1.ShardInfo */
export interface ShardInfo {
  selector: string;
}

/** meta.v1.Status */
export interface Status {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  status?: string;
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

/** meta.v1.StatusCause */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** meta.v1.StatusDetails */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** meta.v1.Table */
export interface Table {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  columnDefinitions: TableColumnDefinition[];
  rows: TableRow[];
}

/** meta.v1.TableColumnDefinition */
export interface TableColumnDefinition {
  name: string;
  type: string;
  format: string;
  description: string;
  priority: number;
}

/** meta.v1.TableOptions */
export interface TableOptions {
  kind?: string;
  apiVersion?: string;
  includeObject?: string;
}

/** meta.v1.TableRow */
export interface TableRow {
  conditions?: TableRowCondition[];
  object?: unknown;
}

/** meta.v1.TableRowCondition */
export interface TableRowCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

/** meta.v1.Timestamp */
export interface Timestamp {
  seconds: number;
  nanos: number;
}

/** meta.v1.TypeMeta */
export interface TypeMeta {
  kind?: string;
  apiVersion?: string;
}

/** meta.v1.UpdateOptions */
export interface UpdateOptions {
  kind?: string;
  apiVersion?: string;
  dryRun?: string[];
  fieldManager?: string;
  fieldValidation?: string;
}

/** meta.v1.WatchEvent */
export interface WatchEvent {
  type: string;
  object: unknown;
}

/** networking.v1.HTTPIngressPath */
export interface HTTPIngressPath {
  path?: string;
  pathType: string;
  backend: IngressBackend;
}

/** networking.v1.HTTPIngressRuleValue */
export interface HTTPIngressRuleValue {
  paths: HTTPIngressPath[];
}

/** networking.v1.IPAddress */
export interface IPAddress {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: IPAddressSpec;
}

/** networking.v1.IPAddressList */
export interface IPAddressList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: IPAddress[];
}

/** networking.v1.IPAddressSpec */
export interface IPAddressSpec {
  parentRef?: ParentReference;
}

/** networking.v1.IPBlock */
export interface IPBlock {
  cidr: string;
  except?: string[];
}

/** networking.v1.Ingress */
export interface Ingress {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: IngressSpec;
  status?: IngressStatus;
}

/** networking.v1.IngressBackend */
export interface IngressBackend {
  service?: IngressServiceBackend;
  resource?: TypedLocalObjectReference;
}

/** networking.v1.IngressClass */
export interface IngressClass {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: IngressClassSpec;
}

/** networking.v1.IngressClassList */
export interface IngressClassList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: IngressClass[];
}

/** networking.v1.IngressClassParametersReference */
export interface IngressClassParametersReference {
  apiGroup?: string;
  kind: string;
  name: string;
  scope?: string | null;
  namespace?: string;
}

/** networking.v1.IngressClassSpec */
export interface IngressClassSpec {
  controller?: string;
  parameters?: IngressClassParametersReference;
}

/** networking.v1.IngressList */
export interface IngressList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Ingress[];
}

/** networking.v1.IngressLoadBalancerIngress */
export interface IngressLoadBalancerIngress {
  ip?: string;
  hostname?: string;
  ports?: IngressPortStatus[];
}

/** networking.v1.IngressLoadBalancerStatus */
export interface IngressLoadBalancerStatus {
  ingress?: IngressLoadBalancerIngress[];
}

/** networking.v1.IngressPortStatus */
export interface IngressPortStatus {
  port: number;
  protocol: string;
  error?: string;
}

/** networking.v1.IngressRule */
export interface IngressRule {
  host?: string;
  http?: HTTPIngressRuleValue;
}

/** networking.v1.IngressServiceBackend */
export interface IngressServiceBackend {
  name: string;
  port?: ServiceBackendPort;
}

/** networking.v1.IngressSpec */
export interface IngressSpec {
  ingressClassName?: string;
  defaultBackend?: IngressBackend;
  tls?: IngressTLS[];
  rules?: IngressRule[];
}

/** networking.v1.IngressStatus */
export interface IngressStatus {
  loadBalancer?: IngressLoadBalancerStatus;
}

/** networking.v1.IngressTLS */
export interface IngressTLS {
  hosts?: string[];
  secretName?: string;
}

/** networking.v1.NetworkPolicy */
export interface NetworkPolicy {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: NetworkPolicySpec;
}

/** networking.v1.NetworkPolicyEgressRule */
export interface NetworkPolicyEgressRule {
  ports?: NetworkPolicyPort[];
  to?: NetworkPolicyPeer[];
}

/** networking.v1.NetworkPolicyIngressRule */
export interface NetworkPolicyIngressRule {
  ports?: NetworkPolicyPort[];
  from?: NetworkPolicyPeer[];
}

/** networking.v1.NetworkPolicyList */
export interface NetworkPolicyList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: NetworkPolicy[];
}

/** networking.v1.NetworkPolicyPeer */
export interface NetworkPolicyPeer {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: IPBlock;
}

/** networking.v1.NetworkPolicyPort */
export interface NetworkPolicyPort {
  protocol?: string;
  port?: IntOrString;
  endPort?: number;
}

/** networking.v1.NetworkPolicySpec */
export interface NetworkPolicySpec {
  podSelector?: LabelSelector;
  ingress?: NetworkPolicyIngressRule[];
  egress?: NetworkPolicyEgressRule[];
  policyTypes?: string[];
}

/** networking.v1.ParentReference */
export interface ParentReference {
  group?: string;
  resource?: string;
  namespace?: string;
  name?: string;
}

/** networking.v1.ServiceBackendPort */
export interface ServiceBackendPort {
  name?: string;
  number?: number;
}

/** networking.v1.ServiceCIDR */
export interface ServiceCIDR {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: ServiceCIDRSpec;
  status?: ServiceCIDRStatus;
}

/** networking.v1.ServiceCIDRList */
export interface ServiceCIDRList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ServiceCIDR[];
}

/** networking.v1.ServiceCIDRSpec */
export interface ServiceCIDRSpec {
  cidrs?: string[];
}

/** networking.v1.ServiceCIDRStatus */
export interface ServiceCIDRStatus {
  conditions?: Condition[];
}

/** node.v1.Overhead */
export interface Overhead {
  podFixed?: Record<string, Quantity>;
}

/** node.v1.RuntimeClass */
export interface RuntimeClass {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  handler: string;
  overhead?: Overhead;
  scheduling?: Scheduling;
}

/** node.v1.RuntimeClassList */
export interface RuntimeClassList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: RuntimeClass[];
}

/** node.v1.Scheduling */
export interface Scheduling {
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
}

/** policy.v1.Eviction */
export interface Eviction {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  deleteOptions?: DeleteOptions;
}

/** policy.v1.PodDisruptionBudget */
export interface PodDisruptionBudget {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec?: PodDisruptionBudgetSpec;
  status?: PodDisruptionBudgetStatus;
}

/** policy.v1.PodDisruptionBudgetList */
export interface PodDisruptionBudgetList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: PodDisruptionBudget[];
}

/** policy.v1.PodDisruptionBudgetSpec */
export interface PodDisruptionBudgetSpec {
  minAvailable?: IntOrString;
  selector?: LabelSelector;
  maxUnavailable?: IntOrString;
  unhealthyPodEvictionPolicy?: string;
}

/** policy.v1.PodDisruptionBudgetStatus */
export interface PodDisruptionBudgetStatus {
  observedGeneration?: number;
  disruptedPods?: Record<string, Time>;
  disruptionsAllowed?: number;
  currentHealthy?: number;
  desiredHealthy?: number;
  expectedPods?: number;
  conditions?: Condition[];
}

/** rbac.v1.AggregationRule */
export interface AggregationRule {
  clusterRoleSelectors?: LabelSelector[];
}

/** rbac.v1.ClusterRole */
export interface ClusterRole {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  rules?: PolicyRule[] | null;
  aggregationRule?: AggregationRule;
}

/** rbac.v1.ClusterRoleBinding */
export interface ClusterRoleBinding {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  subjects?: RbacSubject[];
  roleRef: RoleRef;
}

/** rbac.v1.ClusterRoleBindingList */
export interface ClusterRoleBindingList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ClusterRoleBinding[];
}

/** rbac.v1.ClusterRoleList */
export interface ClusterRoleList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ClusterRole[];
}

/** rbac.v1.PolicyRule */
export interface PolicyRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

/** rbac.v1.Role */
export interface Role {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  rules?: PolicyRule[] | null;
}

/** rbac.v1.RoleBinding */
export interface RoleBinding {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  subjects?: RbacSubject[];
  roleRef: RoleRef;
}

/** rbac.v1.RoleBindingList */
export interface RoleBindingList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: RoleBinding[];
}

/** rbac.v1.RoleList */
export interface RoleList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Role[];
}

/** rbac.v1.RoleRef */
export interface RoleRef {
  apiGroup?: string;
  kind: string;
  name: string;
}

/** rbac.v1.Subject */
export interface RbacSubject {
  kind: string;
  apiGroup?: string;
  name: string;
  namespace?: string;
}

/** resource.v1.AllocatedDeviceStatus */
export interface AllocatedDeviceStatus {
  driver: string;
  pool: string;
  device: string;
  shareID?: string;
  conditions?: Condition[] | null;
  data?: unknown;
  networkData?: NetworkDeviceData;
}

/** resource.v1.AllocationResult */
export interface AllocationResult {
  devices?: DeviceAllocationResult;
  nodeSelector?: NodeSelector;
  allocationTimestamp?: Time;
}

/** resource.v1.CELDeviceSelector */
export interface CELDeviceSelector {
  expression: string;
}

/** resource.v1.CapacityRequestPolicy */
export interface CapacityRequestPolicy {
  default?: Quantity | null;
  validValues?: Quantity[];
  validRange?: CapacityRequestPolicyRange;
}

/** resource.v1.CapacityRequestPolicyRange */
export interface CapacityRequestPolicyRange {
  min?: Quantity;
  max?: Quantity;
  step?: Quantity;
}

/** resource.v1.CapacityRequirements */
export interface CapacityRequirements {
  requests?: Record<string, Quantity>;
}

/** resource.v1.Counter */
export interface Counter {
  value: Quantity;
}

/** resource.v1.CounterSet */
export interface CounterSet {
  name: string;
  counters?: Record<string, Counter>;
}

/** resource.v1.Device */
export interface Device {
  name: string;
  attributes?: Record<string, DeviceAttribute>;
  capacity?: Record<string, DeviceCapacity>;
  consumesCounters?: DeviceCounterConsumption[];
  nodeName?: string;
  nodeSelector?: NodeSelector;
  allNodes?: boolean;
  taints?: DeviceTaint[];
  bindsToNode?: boolean;
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  allowMultipleAllocations?: boolean;
  nodeAllocatableResourceMappings?: Record<string, NodeAllocatableResourceMapping>;
}

/** resource.v1.DeviceAllocationConfiguration */
export interface DeviceAllocationConfiguration {
  source: string;
  requests?: string[];
  opaque?: OpaqueDeviceConfiguration;
}

/** resource.v1.DeviceAllocationResult */
export interface DeviceAllocationResult {
  results?: DeviceRequestAllocationResult[];
  config?: DeviceAllocationConfiguration[];
}

/** resource.v1.DeviceAttribute */
export interface DeviceAttribute {
  int?: number;
  bool?: boolean;
  string?: string;
  version?: string;
  ints?: number[];
  bools?: boolean[];
  strings?: string[];
  versions?: string[];
}

/** resource.v1.DeviceCapacity */
export interface DeviceCapacity {
  value: Quantity;
  requestPolicy?: CapacityRequestPolicy;
}

/** resource.v1.DeviceClaim */
export interface DeviceClaim {
  requests?: DeviceRequest[] | null;
  constraints?: DeviceConstraint[];
  config?: DeviceClaimConfiguration[];
}

/** resource.v1.DeviceClaimConfiguration */
export interface DeviceClaimConfiguration {
  requests?: string[];
  opaque?: OpaqueDeviceConfiguration;
}

/** resource.v1.DeviceClass */
export interface DeviceClass {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec: DeviceClassSpec;
}

/** resource.v1.DeviceClassConfiguration */
export interface DeviceClassConfiguration {
  opaque?: OpaqueDeviceConfiguration;
}

/** resource.v1.DeviceClassList */
export interface DeviceClassList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: DeviceClass[];
}

/** resource.v1.DeviceClassSpec */
export interface DeviceClassSpec {
  selectors?: DeviceSelector[];
  config?: DeviceClassConfiguration[];
  extendedResourceName?: string;
}

/** resource.v1.DeviceConstraint */
export interface DeviceConstraint {
  requests?: string[];
  matchAttribute?: string;
  distinctAttribute?: string;
}

/** resource.v1.DeviceCounterConsumption */
export interface DeviceCounterConsumption {
  counterSet: string;
  counters?: Record<string, Counter>;
}

/** resource.v1.DeviceRequest */
export interface DeviceRequest {
  name: string;
  exactly?: ExactDeviceRequest;
  firstAvailable?: DeviceSubRequest[];
}

/** resource.v1.DeviceRequestAllocationResult */
export interface DeviceRequestAllocationResult {
  request: string;
  driver: string;
  pool: string;
  device: string;
  adminAccess?: boolean;
  tolerations?: DeviceToleration[];
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  shareID?: string;
  consumedCapacity?: Record<string, Quantity>;
}

/** resource.v1.DeviceSelector */
export interface DeviceSelector {
  cel?: CELDeviceSelector;
}

/** resource.v1.DeviceSubRequest */
export interface DeviceSubRequest {
  name: string;
  deviceClassName: string;
  selectors?: DeviceSelector[];
  allocationMode?: string;
  count?: number;
  tolerations?: DeviceToleration[];
  capacity?: CapacityRequirements;
}

/** resource.v1.DeviceTaint */
export interface DeviceTaint {
  key: string;
  value?: string;
  effect: string;
  timeAdded?: Time;
}

/** resource.v1.DeviceToleration */
export interface DeviceToleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

/** resource.v1.ExactDeviceRequest */
export interface ExactDeviceRequest {
  deviceClassName: string;
  selectors?: DeviceSelector[];
  allocationMode?: string;
  count?: number;
  adminAccess?: boolean;
  tolerations?: DeviceToleration[];
  capacity?: CapacityRequirements;
}

/** resource.v1.NetworkDeviceData */
export interface NetworkDeviceData {
  interfaceName?: string;
  ips?: string[];
  hardwareAddress?: string;
}

/** resource.v1.NodeAllocatableResourceMapping */
export interface NodeAllocatableResourceMapping {
  capacityKey?: string;
  allocationMultiplier?: Quantity;
}

/** resource.v1.OpaqueDeviceConfiguration */
export interface OpaqueDeviceConfiguration {
  driver: string;
  parameters: unknown;
}

/** resource.v1.ResourceClaim */
export interface ResourceResourceClaim {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec: ResourceClaimSpec;
  status?: ResourceClaimStatus;
}

/** resource.v1.ResourceClaimConsumerReference */
export interface ResourceClaimConsumerReference {
  apiGroup?: string;
  resource: string;
  name: string;
  uid: string;
}

/** resource.v1.ResourceClaimList */
export interface ResourceClaimList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ResourceResourceClaim[];
}

/** resource.v1.ResourceClaimSpec */
export interface ResourceClaimSpec {
  devices?: DeviceClaim;
}

/** resource.v1.ResourceClaimStatus */
export interface ResourceClaimStatus {
  allocation?: AllocationResult;
  reservedFor?: ResourceClaimConsumerReference[];
  devices?: AllocatedDeviceStatus[];
}

/** resource.v1.ResourceClaimTemplate */
export interface ResourceClaimTemplate {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec: ResourceClaimTemplateSpec;
}

/** resource.v1.ResourceClaimTemplateList */
export interface ResourceClaimTemplateList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ResourceClaimTemplate[];
}

/** resource.v1.ResourceClaimTemplateSpec */
export interface ResourceClaimTemplateSpec {
  metadata?: ObjectMeta;
  spec: ResourceClaimSpec;
}

/** resource.v1.ResourcePool */
export interface ResourcePool {
  name: string;
  generation: number;
  resourceSliceCount: number;
}

/** resource.v1.ResourceSlice */
export interface ResourceSlice {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec: ResourceSliceSpec;
}

/** resource.v1.ResourceSliceList */
export interface ResourceSliceList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ResourceSlice[];
}

/** resource.v1.ResourceSliceSpec */
export interface ResourceSliceSpec {
  driver: string;
  pool: ResourcePool;
  nodeName?: string;
  nodeSelector?: NodeSelector;
  allNodes?: boolean;
  devices?: Device[];
  perDeviceNodeSelection?: boolean;
  sharedCounters?: CounterSet[];
}

/** scheduling.v1.PriorityClass */
export interface PriorityClass {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  value?: number;
  globalDefault?: boolean;
  description?: string;
  preemptionPolicy?: string;
}

/** scheduling.v1.PriorityClassList */
export interface PriorityClassList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: PriorityClass[];
}

/** storage.v1.CSIDriver */
export interface CSIDriver {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec: CSIDriverSpec;
}

/** storage.v1.CSIDriverList */
export interface CSIDriverList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: CSIDriver[];
}

/** storage.v1.CSIDriverSpec */
export interface CSIDriverSpec {
  attachRequired?: boolean;
  podInfoOnMount?: boolean;
  volumeLifecycleModes?: string[];
  storageCapacity?: boolean;
  fsGroupPolicy?: string;
  tokenRequests?: StorageTokenRequest[];
  requiresRepublish?: boolean;
  seLinuxMount?: boolean;
  nodeAllocatableUpdatePeriodSeconds?: number;
  serviceAccountTokenInSecrets?: boolean;
  preventPodSchedulingIfMissing?: boolean;
}

/** storage.v1.CSINode */
export interface CSINode {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec: CSINodeSpec;
}

/** storage.v1.CSINodeDriver */
export interface CSINodeDriver {
  name: string;
  nodeID: string;
  topologyKeys?: string[] | null;
  allocatable?: VolumeNodeResources;
}

/** storage.v1.CSINodeList */
export interface CSINodeList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: CSINode[];
}

/** storage.v1.CSINodeSpec */
export interface CSINodeSpec {
  drivers: CSINodeDriver[];
}

/** storage.v1.CSIStorageCapacity */
export interface CSIStorageCapacity {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  nodeTopology?: LabelSelector;
  storageClassName: string;
  capacity?: Quantity;
  maximumVolumeSize?: Quantity;
}

/** storage.v1.CSIStorageCapacityList */
export interface CSIStorageCapacityList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: CSIStorageCapacity[];
}

/** storage.v1.StorageClass */
export interface StorageClass {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  provisioner: string;
  parameters?: Record<string, string>;
  reclaimPolicy?: string;
  mountOptions?: string[];
  allowVolumeExpansion?: boolean;
  volumeBindingMode?: string;
  allowedTopologies?: TopologySelectorTerm[];
}

/** storage.v1.StorageClassList */
export interface StorageClassList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: StorageClass[];
}

/** storage.v1.TokenRequest */
export interface StorageTokenRequest {
  audience: string;
  expirationSeconds?: number;
}

/** storage.v1.VolumeAttachment */
export interface VolumeAttachment {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  spec: VolumeAttachmentSpec;
  status?: VolumeAttachmentStatus;
}

/** storage.v1.VolumeAttachmentList */
export interface VolumeAttachmentList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: VolumeAttachment[];
}

/** storage.v1.VolumeAttachmentSource */
export interface VolumeAttachmentSource {
  persistentVolumeName?: string;
  inlineVolumeSpec?: PersistentVolumeSpec;
}

/** storage.v1.VolumeAttachmentSpec */
export interface VolumeAttachmentSpec {
  attacher: string;
  source: VolumeAttachmentSource;
  nodeName: string;
}

/** storage.v1.VolumeAttachmentStatus */
export interface VolumeAttachmentStatus {
  attached: boolean;
  attachmentMetadata?: Record<string, string>;
  attachError?: VolumeError;
  detachError?: VolumeError;
}

/** storage.v1.VolumeAttributesClass */
export interface VolumeAttributesClass {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  driverName: string;
  parameters?: Record<string, string>;
}

/** storage.v1.VolumeAttributesClassList */
export interface VolumeAttributesClassList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: VolumeAttributesClass[];
}

/** storage.v1.VolumeError */
export interface VolumeError {
  time?: Time | null;
  message?: string;
  errorCode?: number;
}

/** storage.v1.VolumeNodeResources */
export interface VolumeNodeResources {
  count?: number;
}
