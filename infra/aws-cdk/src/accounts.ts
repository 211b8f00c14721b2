import { SecretValue } from 'aws-cdk-lib'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'

/** Everything that a URL would have to escape is left out; 32 of the other characters are 190 bits. */
export const passwordLength = 32

export function passwordSecret(scope: Construct, id: string, encryptionKey: IKey): Secret {
  return new Secret(scope, id, {
    encryptionKey,
    generateSecretString: { excludePunctuation: true, passwordLength },
  })
}

export function accountSecret(scope: Construct, id: string, username: string, key: IKey, name?: string): Secret {
  return new Secret(scope, id, {
    ...(name === undefined ? {} : { secretName: name }),
    encryptionKey: key,
    generateSecretString: {
      secretStringTemplate: JSON.stringify({ username }),
      generateStringKey: 'password',
      excludePunctuation: true,
      passwordLength,
    },
  })
}

/** The password is put in by CloudFormation from its own secret: no template and no state of it shows one. */
export function urlSecret(scope: Construct, id: string, encryptionKey: IKey, url: string): Secret {
  return new Secret(scope, id, { encryptionKey, secretStringValue: SecretValue.unsafePlainText(url) })
}
