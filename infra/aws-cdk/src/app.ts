import { App } from 'aws-cdk-lib'
import { createStack } from './create-stack.js'

const app = new App()
createStack(app)
app.synth()
