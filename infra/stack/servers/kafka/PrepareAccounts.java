import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;

/**
 * Makes SCRAM accounts, or gives them their password anew: `name password` a line on standard input, so that no password
 * is in a process list. kafkajs cannot do it. The argument is a file of client properties.
 */
public final class PrepareAccounts {
  private static final ScramCredentialInfo INFO = new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 8192);

  public static void main(String[] args) throws Exception {
    Properties properties = new Properties();
    try (FileInputStream file = new FileInputStream(args[0])) {
      properties.load(file);
    }
    List<UserScramCredentialAlteration> accounts = new ArrayList<>();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] parts = line.split(" ", 2);
      accounts.add(new UserScramCredentialUpsertion(parts[0], INFO, parts[1]));
    }
    try (Admin admin = Admin.create(properties)) {
      admin.alterUserScramCredentials(accounts).all().get();
    }
  }
}
