export { around, crashPoint } from './crash-point.js'
