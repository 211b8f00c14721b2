export { compensatedKey } from './compensation.js'
export * from './definition.js'
export { maxDurationMs, parseDuration } from './duration.js'
export { type ErrorClass, errorClasses, isErrorClass, isRetryable } from './error-class.js'
export {
  type Evaluation,
  EvaluationDeferred,
  type Evaluations,
  recordEvaluations,
  withAllowance,
} from './expression/allowance.js'
export { stepsSpent } from './expression/budget.js'
export { ExpressionError } from './expression/expression-error.js'
export type { Scope, TaskScope } from './expression/scope.js'
export { fillSecrets, type SecretPlace, secretText } from './expression/secret-place.js'
export type { Resolved, Template } from './expression/template.js'
export { allFeatures, type Feature, optionalFeatures, supportedFeatures } from './features.js'
export type { FieldPath, Positions } from './field-path.js'
export { limits } from './limits.js'
export { lookalike } from './lookalike.js'
export {
  checkDefinitionText,
  checkDefinitionValue,
  checkInputOffThread,
  checkSchemaOffThread,
  closeChecks,
  evaluateOffThread,
  warmUpChecks,
} from './off-thread/checks.js'
export type { CheckedDefinition, Evaluated } from './off-thread/tasks.js'
export { type DefinitionContentType, type ParsedDefinition, parseDefinition } from './parse.js'
export {
  compilePlan,
  type Plan,
  type PlanChild,
  type PlanConcurrency,
  type PlanLimits,
  type PlanTask,
  preparePlan,
  retryPolicy,
  templatesOf,
} from './plan.js'
export { parseRetention, parseRetentionJson, type Retention, type RetentionRule } from './retention.js'
export { defaultRetryPolicy, type RetryPolicy, retryDelayMs } from './retry-policy.js'
export { definitionSchema } from './schema/definition-schema.js'
export { builtIns } from './schema/with-shapes.js'
export { type ValidateOptions, type ValidationResult, validateDefinition } from './validate.js'
