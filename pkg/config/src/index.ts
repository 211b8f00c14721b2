export * from './events-field.js'
export * from './fields.js'
export * from './read-config.js'
export * from './service-fields.js'
