export declare const holders: readonly string[]
export declare function makeAuthority(folder: string, name?: string): void
export declare function issueCertificate(authority: string, folder: string, holder: string, days?: number): void
export declare function keepCertificates(folder: string): string[]
