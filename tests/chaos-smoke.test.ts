import { crashSuite } from './chaos/crash-suite.js'
import { casesOf } from './chaos/points.js'

// Three of the points of `make test-chaos`, one in each kind of process that is quick to come back.
const few = /^(scheduler\.store\.writeBatch\.after|worker\.task\.executed|metadata\.record\.applied)$/
crashSuite({ cases: casesOf([7], few), each: 1, together: 3 })
